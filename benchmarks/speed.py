"""Ratios of the public path to a plain numpy loop over workers and to the byte bound.

    python -m benchmarks.speed [--json]

Worker-steps per second of BSP, QSGD, top-1% with error feedback, the ring and local SGD on l2
logistic regression (batch 32, float32) at three sizes. The byte bound is the minibatches' bytes
over the copy bandwidth (bytes read plus bytes written per second) measured in the same run: no
step can be faster than reading its data once from memory. Times are the best of several; what is
compared is measured in turn, so that a busy machine slows both.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any

import numpy as np
import torch

from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.top_k import TopK
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.regularisers import L2
from algorithms.run import run
from algorithms.topologies.ring import Ring
from benchmarks.numpy_loop import loop
from theory.stepsizes import ConstantStep

BATCH, PERIOD, LEVELS, LAM, GAMMA = 32, 8, 4, 1e-3, 0.05
SIZES = ((8, 50, 256), (64, 1000, 256), (256, 10_000, 64))
REPEATS = 5


@dataclass(frozen=True)
class Line:
    """One measurement; speeds in worker-steps per second.

    Attributes:
        method: its name.
        n: number of workers.
        d: number of parameters.
        ours: this code.
        numpy: a numpy loop over workers.
        bound: the bound by bytes read, see the module.
        over_numpy: ours / numpy.
        of_bound: ours / bound.
    """

    method: str
    n: int
    d: int
    ours: float
    numpy: float
    bound: float
    over_numpy: float
    of_bound: float


def methods(n: int) -> dict[str, Method[Any]]:
    """The five methods by name."""
    step = ConstantStep(GAMMA)
    return {
        "bsp": BSP(step),
        "qsgd": BSP(step, QSGD(LEVELS)),
        "top-1% with error feedback": BSP(step, TopK(0.01), ErrorFeedback()),
        "ring": DPSGD(step, Ring(n)),
        "local SGD": LocalSGD(step, PERIOD),
    }


def copy_bandwidth() -> float:
    """Bytes read plus written per second by a large copy, best of several."""
    source = np.ones(1 << 26, dtype=np.float32)
    target = np.empty_like(source)
    (seconds,) = best(lambda: _timed(lambda: np.copyto(target, source)))
    return 2 * source.nbytes / seconds


def best(*measures: Callable[[], float]) -> list[float]:
    """Smallest of several times [s] of each, measured in turn; the first are left out."""
    for measure in measures:
        measure()
    rounds = [[measure() for measure in measures] for _ in range(REPEATS)]
    return [min(times) for times in zip(*rounds, strict=True)]


def _timed(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def seconds(method: Method[Any], problem: Logistic, steps: int, replicas: int = 1) -> float:
    """Time of the steps of one run through the public path, recording left out."""
    trace = run(method, problem, steps=steps, points=2, replicas=replicas)
    return float(trace.wall_seconds[-1])


def size_lines(n: int, d: int, samples: int, bandwidth: float) -> list[Line]:
    """All methods at one size."""
    problem = synthetic(n, samples, d, L2(LAM), batch=BATCH, dtype=torch.float32)
    a = problem.rows.numpy()  # samples times labels: all labels are then 1
    y = np.ones(a.shape[:2], dtype=np.float32)
    steps = max(4, int(3e9 / (n * BATCH * d * 60)))
    slow = max(2, steps // 3)
    lines = []
    for name, method in methods(n).items():
        mine, other = best(
            partial(seconds, method, problem, steps),
            partial(
                loop,
                name,
                a,
                y,
                lam=LAM,
                batch=BATCH,
                gamma=GAMMA,
                steps=slow,
                period=PERIOD,
                levels=LEVELS,
            ),
        )
        ours, numpy = n * steps / mine, n * slow / other
        bound = bandwidth / (BATCH * d * 4)
        lines.append(Line(name, n, d, ours, numpy, bound, ours / numpy, ours / bound))
    return lines


def replica_ratio() -> dict[str, float]:
    """Time of 64 replicas of the small job over the time of one, per method."""
    n, d, samples = SIZES[0]
    problem = synthetic(n, samples, d, L2(LAM), batch=BATCH, dtype=torch.float32)
    ratios = {}
    for name, method in methods(n).items():
        one = partial(seconds, method, problem, 300)
        alone, many = best(one, partial(one, replicas=64))
        ratios[name] = many / alone
    return ratios


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--json", action="store_true")
    as_json = parser.parse_args().json
    bandwidth = copy_bandwidth()
    lines = [line for n, d, s in SIZES for line in size_lines(n, d, s, bandwidth)]
    ratios = replica_ratio()
    if as_json:
        print(
            json.dumps(
                {
                    "copy_bandwidth": bandwidth,
                    "lines": [asdict(x) for x in lines],
                    "replicas_64_over_1": ratios,
                }
            )
        )
        return
    print(f"copy bandwidth {bandwidth / 1e9:.1f} GB/s (read + written)")
    print(
        f"{'n':>4} {'d':>6}  {'method':28} {'ours/s':>10} {'numpy/s':>10} {'ours/numpy':>10} "
        f"{'of bound':>9}"
    )
    for x in lines:
        print(
            f"{x.n:>4} {x.d:>6}  {x.method:28} {x.ours:>10.0f} {x.numpy:>10.0f} "
            f"{x.over_numpy:>10.2f} {x.of_bound:>9.1%}"
        )
    print(
        "64 replicas of the small job over one:",
        ", ".join(f"{name} {ratio:.1f}x" for name, ratio in ratios.items()),
    )


if __name__ == "__main__":
    main()
