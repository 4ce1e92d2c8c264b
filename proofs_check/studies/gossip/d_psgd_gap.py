r"""D-PSGD's consensus error grows as gamma zeta / gap when workers differ, without noise.

f_i(x) = ||x - b_i||^2 / 2: the models stop at (I - W + gamma I)^{-1} gamma B, hence their distance
from consensus is at most gamma zeta / gap, with equality (for gamma << gap) where B lies along the
slowest mode of W. Ring, torus, static exponential and complete graph, n = 16 and 64.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.study import Study, StudyResult, noise_free, noise_free_rate
from proofs_check.studies.gossip.settings import slowest_mode, topologies
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

_GAMMA, _RANDOM, _SEED = 1e-5, 7, 73
_TIMES = 20  # steps in units of 1/gap: what is left of the start is e^-20


def minimisers(topology: Topology) -> Floats:
    """b_i ``[n, d]``: column 0 along the slowest mode, the others random; mean zero."""
    random = np.random.default_rng(_SEED).normal(size=(topology.n, _RANDOM))
    columns = np.column_stack((slowest_mode(topology.matrix(0)), random))
    return np.asarray(columns - columns.mean(axis=0))


def stopped(build: Callable[[Stepsize, Topology], Method[Any]], topology: Topology) -> Floats:
    """Model rows ``[n, d]`` at the fixed point."""
    b = torch.from_numpy(minimisers(topology))
    problem = Quadratic.from_arrays(torch.ones_like(b), b)
    steps = int(_TIMES / (1 - topology.constants().need("lam"))) + 30
    trace = run(build(ConstantStep(_GAMMA), topology), problem, steps=steps, points=3)
    return np.asarray(trace.rows[0].numpy())


def measure(build: Callable[[Stepsize, Topology], Method[Any]] = DPSGD) -> StudyResult:
    """Exponent of 1/gap along the slowest mode; all under gamma zeta / gap; fixed points."""
    graphs = topologies(16) + topologies(64)
    gaps = np.array([1 - t.constants().need("lam") for t in graphs])
    rows = [stopped(build, t) for t in graphs]
    solved = [
        np.linalg.solve((1 + _GAMMA) * np.eye(t.n) - t.matrix(0), _GAMMA * minimisers(t))
        for t in graphs
    ]
    rms = np.array([np.sqrt(np.square(x[:, 0] - x[:, 0].mean()).mean()) for x in rows])
    real = [0, 1, 4, 5, 7]  # symmetric W whose slowest eigenvalue is positive, or W = J
    order = np.argsort(1 / gaps[real])
    x, y = (1 / gaps)[real][order], rms[real][order]
    told = f"no noise, gamma {_GAMMA}, {_TIMES}/gap steps, seed {_SEED} for the random columns"
    verdicts = (
        noise_free_rate(
            x, y, 1.0, 0.01, tight=True, variable="1/gap", subject="d-psgd", problem="quadratic",
            claim="consensus error along the slowest mode = gamma zeta/gap: exponent 1 of 1/gap",
            provenance=f"{told}; gamma/gap <= 0.004",
        ),
        _under(rows, graphs, gaps, told),
        identity(
            "d-psgd", "models stop at (I - W + gamma I)^-1 gamma B on all eight graphs",
            np.concatenate([r.ravel() for r in rows]) / _GAMMA,
            np.concatenate([s.ravel() for s in solved]) / _GAMMA,
            check="closed form", problem="quadratic", tolerance=1e-6, provenance=told,
        ),
    )  # fmt: skip
    return StudyResult(verdicts, (noise_free(x, y, _GAMMA * x),))


def _under(rows: list[Floats], graphs: tuple[Topology, ...], gaps: Floats, told: str) -> Verdict:
    """Largest consensus error / (gamma zeta / gap) over graphs and columns."""
    ratios = []
    for x, topology, gap in zip(rows, graphs, gaps, strict=True):
        b = minimisers(topology)
        error = np.sqrt(np.square(x - x.mean(axis=0)).mean(axis=0))
        ratios.append(error / (_GAMMA / gap * np.sqrt(np.square(b).mean(axis=0))))
    worst = float(np.max(ratios))
    return Verdict(
        subject="d-psgd",
        problem="quadratic",
        claim="consensus error <= gamma zeta / gap on ring, torus, exponential, complete",
        check="bound in 1/gap",
        outcome=Outcome.SUPPORTED if worst <= 1 + 1e-6 else Outcome.REFUTED,
        statistic=worst,
        bound=1.0,
        tightness=worst,
        evidence=f"largest ratio {worst:.6f} over {len(graphs)} graphs and {_RANDOM + 1} columns",
        provenance=told,
    )


STUDY = Study(
    "d_psgd_gap",
    "d-psgd",
    "quadratic",
    "1/gap in the consensus error",
    "1 / spectral gap",
    "consensus error, root mean square [x]",
    measure,
)
