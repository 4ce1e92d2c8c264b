r"""DGD's neighbourhood: proportional to the stepsize and to 1/gap; none where steps vanish.

f_i(x) = a_i (x - b_i)^2 / 2 with unlike curvatures: workers disagree by gamma zeta / gap, and since
curvatures weigh them unequally even the mean model stops off the minimiser, by an amount that is
proportional to gamma as well. With gamma_t ~ 1/t the same method reaches it, at rate 1/t.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip_convex.dgd import dgd
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import StaticTopology, Topology
from algorithms.topologies.ring import Ring
from proofs_check.closed_forms.gossip_convex.dgd import stopped_at, uneven
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.study import Study, StudyResult, noise_free, noise_free_rate
from proofs_check.studies.gossip.settings import slowest_mode
from proofs_check.studies.shared.graph_ladder import GrowingGraphs, families
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize

Build = Callable[[Stepsize, Topology], Method[Any]]

_GAMMAS = (0.002, 0.004, 0.008, 0.016)
_TIMES = 12.0  # steps in units of 1/gamma
_HORIZONS = np.array([500.0, 1000.0, 2000.0, 4000.0])
_N, _D, _SEED = 4, 4, 96


def problem(n: int) -> Quadratic:
    """Curvatures 1/2 to 3/2, minimisers of unit variance."""
    a, b = uneven(n, _D, _SEED)
    return Quadratic.from_arrays(torch.from_numpy(a), torch.from_numpy(b))


def distances(problem: Quadratic, rows: Floats) -> tuple[float, float]:
    """Distance of the worst worker and of the mean model to the minimiser."""
    off = rows - problem.x_star.numpy()
    return float(np.linalg.norm(off, axis=1).max()), float(np.linalg.norm(off.mean(axis=0)))


def stopped(build: Build, graph: StaticTopology, gamma: float) -> Floats:
    """Rows ``[n, d]`` where the run stops."""
    steps = int(2 * _TIMES / gamma)
    trace = run(build(ConstantStep(gamma), graph), problem(graph.n), steps=steps, points=2)
    return np.asarray(trace.rows[0].numpy())


def falling(build: Build, graph: StaticTopology) -> Floats:
    """Distance of the worst worker after each horizon, gamma_t = 4/(t + 20)."""
    own, step, found = problem(graph.n), InverseTimeStep(4.0, 20.0), []
    for horizon in _HORIZONS:
        trace = run(build(step, graph), own, steps=int(horizon), points=2)
        found.append(distances(own, trace.rows[0].numpy())[0])
    return np.array(found)


def along_gap(family: GrowingGraphs) -> Floats:
    """Largest distance at gamma = gap / 1000 over gamma, minimisers along the slowest mode."""
    found = []
    for graph, gap in zip(family.graphs[:3], family.gaps[:3], strict=True):
        b = slowest_mode(graph.matrix(0))[:, None]
        rows = stopped_at(graph.matrix(0), np.ones_like(b), b, gap / 1000)
        found.append(float(np.sqrt(np.square(rows).mean())) * 1000 / gap)
    return np.array(found)


def measure(build: Build = dgd) -> StudyResult:
    """Exponent of gamma for worst worker and mean model, of 1/gap on rings, of T."""
    graph, own = Ring(_N), problem(_N)
    rows = [stopped(build, graph, gamma) for gamma in _GAMMAS]
    a, b = uneven(_N, _D, _SEED)
    solved = [stopped_at(graph.matrix(0), a, b, gamma) for gamma in _GAMMAS]
    worst, mean = (np.array(v) for v in zip(*(distances(own, r) for r in rows), strict=True))
    x, told = np.array(_GAMMAS), f"no noise, ring of {_N}, {2 * _TIMES:g}/gamma steps, seed {_SEED}"
    last = falling(build, graph)
    ring = families()[0]
    reference = worst[0] * x / x[0]
    verdicts = (
        identity(
            "dgd", "rows stop at (I - W + gamma A)^-1 gamma A b", np.stack(rows), np.stack(solved),
            check="closed form: fixed point of DGD", problem=own.name, tolerance=1e-5,
            provenance=told, note="e^-12 of the start is left at curvature 1/2",
        ),
        *(
            noise_free_rate(
                x, y, 1.0, 0.05, tight=True, variable="gamma", subject="dgd", problem=own.name,
                claim=f"{who} stops at a distance proportional to gamma",
                provenance=f"{told}; gamma/gap <= 0.024",
            )
            for who, y in (("the worst worker", worst), ("the mean model", mean))
        ),
        noise_free_rate(
            1 / ring.gaps[:3], along_gap(ring), 1.0, 0.01, tight=True, variable="1/gap",
            subject="dgd", problem="quadratic",
            claim="distance over gamma grows as 1/gap on rings, minimisers along the slowest mode",
            provenance="fixed points by linear algebra, no seed, gamma = gap/1000",
        ),
        noise_free_rate(
            _HORIZONS, last, -1.0, 0.05, tight=True, variable="T", subject="dgd", problem=own.name,
            claim="with gamma_t = 4/(t + 20) the worst worker reaches the minimiser as 1/T",
            provenance=f"no noise, ring of {_N}, seed {_SEED}",
        ),
    )  # fmt: skip
    return StudyResult(verdicts, (noise_free(x, worst, reference, mean_model=mean),))


STUDY = Study(
    "dgd_neighbourhood",
    "dgd",
    "quadratic",
    "gamma/gap in DGD's neighbourhood",
    "stepsize gamma",
    "distance of the worst worker from x* [x]",
    measure,
)
