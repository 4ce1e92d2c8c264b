"""Cost of a round of averaging on a ring, against a plain numpy loop over workers.

    python -m benchmarks.gossip

Exact gossip and CHOCO-Gossip (QSGD with 4 levels; top 1%), d = 1000, float32, one torch thread, no
gradients: rounds per second of the simulation over those of the loop, in turn, best of several.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.top_k import TopK
from algorithms.engine.run import one_thread
from algorithms.methods.gossip.choco import ChocoGossip
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.ring import Ring
from benchmarks.programs.numpy_loop import qsgd, top_k
from proofs_check.instruments.paths import world_of

Array = NDArray[np.float32]
Operator = Callable[[Array], Array]

WORKERS = (64, 256)
D, ROUNDS, REPEATS, LEVELS, SHARE = 1000, 100, 5, 4, 0.01
GAMMA = 0.1


def _numpy_operators() -> dict[str, Operator]:
    rng = np.random.default_rng(0)
    return {
        "exact": lambda row: row,
        "QSGD": lambda row: qsgd(row, rng),
        "top 1%": top_k,
    }


OPERATORS: dict[str, Compressor] = {
    "exact": Identity(),
    "QSGD": QSGD(LEVELS),
    "top 1%": TopK(SHARE),
}


def loop(start: Array, operator: Operator) -> float:
    """Seconds of all rounds of CHOCO-Gossip, worker by worker."""
    x, public = start.copy(), np.zeros_like(start)
    n, third, gamma = len(x), np.float32(1 / 3), np.float32(GAMMA)
    tick = time.perf_counter()
    for _ in range(ROUNDS):
        sent = [operator(x[i] - public[i]) for i in range(n)]
        public = np.array([public[i] + sent[i] for i in range(n)])
        for i in range(n):
            around = third * (public[i - 1] + public[i] + public[(i + 1) % n])
            x[i] += gamma * (around - public[i])
    return time.perf_counter() - tick


def simulated(start: Array, operator: Compressor) -> float:
    """Seconds of all rounds in the simulation, its ledger kept."""
    rows = torch.from_numpy(start)
    problem = Quadratic.from_arrays(torch.ones_like(rows), rows)
    method, context = ChocoGossip(Ring(len(start)), operator, GAMMA), world_of(problem, 0, 1)
    with one_thread():
        state = method.init(problem.start(), context)
        state = method.step(state, 0, context)
        tick = time.perf_counter()
        for t in range(1, ROUNDS + 1):
            state = method.step(state, t, context)
        return time.perf_counter() - tick


def main() -> None:
    """Print one line per operator and number of workers."""
    loops = _numpy_operators()
    for n in WORKERS:
        start = np.random.default_rng(0).normal(size=(n, D)).astype(np.float32)
        best = {name: [np.inf, np.inf] for name in OPERATORS}
        for _ in range(REPEATS):
            for name, operator in OPERATORS.items():
                taken = simulated(start, operator), loop(start, loops[name])
                best[name] = [min(pair) for pair in zip(best[name], taken, strict=True)]
        for name, (mine, plain) in best.items():
            print(
                f"n={n}, {name}: {mine / ROUNDS * 1e6:.0f} us a round, {plain / mine:.2f} of numpy"
            )


if __name__ == "__main__":
    main()
