"""Studies: settings, dgd bound, dgd neighbourhood, projected neighbourhood."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_convex.dgd import dgd as dgd_neighbourhood_dgd
from algorithms.methods.gossip_convex.projected_dgd import projected_dgd
from algorithms.methods.parts.gradients import Full, Gradients
from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.partitions import SortedByLabel
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import L2
from algorithms.sets.ball import Ball
from algorithms.sets.base import ConvexSet
from algorithms.topologies.base import StaticTopology, Topology
from algorithms.topologies.ring import Ring
from algorithms.topologies.static_exponential import StaticExponential
from proofs_check.curves import PanelLine
from proofs_check.evidence.gossip.studies import slowest_mode
from proofs_check.evidence.gossip_convex.closed_forms import DOMAINS, kkt, stopped_at, uneven
from proofs_check.instruments.evidence import ALPHA, identity
from proofs_check.instruments.graph_ladder import GrowingGraphs, families
from proofs_check.instruments.paths import models
from proofs_check.instruments.study import StudyResult, noise_free, noise_free_rate, study
from proofs_check.instruments.under_bound import curve_under_bound
from proofs_check.verdict import Verdict
from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize
from theory.theorem import Theorem
from theory.theorems.dgd import dgd
from theory.theorems.projected_dgd import projected_dgd as projected

# What studies of dual averaging and of DGD's bound share: convex problem, point, constants.


_COMPARED = 0.1  # regulariser of the point compared with


def setting(n: int) -> tuple[Logistic, Tensor]:
    """The problem and the point it is compared with ``[d]``."""
    data = breast_cancer(n, L2(_COMPARED), partition=SortedByLabel())
    unit = replace(data, rows=data.rows / data.rows.norm(dim=-1, keepdim=True))
    point = unit.x_star
    assert point is not None
    return replace(unit, regulariser=L2(0.0)), point


def stated(graph: Topology, point: Tensor) -> Constants:
    """Constants that the theorem needs; x_0 = 0."""
    own = Constants(lipschitz=1.0, R2=float(point @ point), convex=True)
    return graph.constants().merge(own)


# DGD and projected DGD under their bounds, over the whole curve.
#
# The setting of :mod:`proofs_check.evidence.gossip_convex.studies_pairs`: logistic regression
# on shards sorted by label, every sample's gradient at most 1 long; stochastic gradients, the
# stepsize that the theorem prescribes for the horizon. What is held is f at the average of the mean
# models so far.


DgdBoundBuild = Callable[[Stepsize, Topology, ConvexSet], Method[Any]]
_DGD_BOUND_N, _STEPS, _DGD_BOUND_SEED = 16, 400, 99
_REPLICAS = 64  # a mean r times its bound is refuted by 32 / log r: 64 see twice the bound


def unconstrained(step: Stepsize, topology: Topology, domain: ConvexSet) -> Method[Any]:
    """DGD with stochastic gradients."""
    return DPSGD(step, topology)


def under_bound(
    row: str, build: DgdBoundBuild, theorem: Theorem, graph: Topology
) -> tuple[Verdict, list[PanelLine]]:
    """f(average) - f(x*) after 1, 2, ... steps under the theorem's bound."""
    problem, point = setting(graph.n)
    c, x = stated(graph, point), np.arange(1.0, _STEPS + 1)
    step = theorem.stepsize(c, _STEPS)
    method = build(step, graph, Ball(float(point.norm())))
    path = models(method, problem, _STEPS - 1, seed=_DGD_BOUND_SEED, replicas=_REPLICAS)
    averages = path.cumsum(0) / torch.from_numpy(x)[:, None, None]
    series = (problem.value(averages) - problem.value(point)).T.numpy()
    bound = theorem.bound(c, step, x)
    verdict = curve_under_bound(
        series,
        bound,
        ALPHA,
        subject=row,
        problem="logistic regression, lam 0",
        floor=1e-13,
        claim=f"average of the mean models under {theorem.name} on {graph.name}",
        provenance=f"{theorem.source}; {step}, {_STEPS} steps, {_REPLICAS} replicas, seed "
        f"{_DGD_BOUND_SEED}, "
        f"sorted by label, error {ALPHA:g}",
    )
    label = f"{row}, {graph.name}"
    return verdict, [
        PanelLine(label, x, series.mean(axis=0)),
        PanelLine(f"{label}, bound", x, bound, theory=True),
    ]


@study(
    "dgd",
    "logistic regression, lam 0",
    "DGD stays under its bound, projected or not",
    "steps",
    "f(average of the mean models) - f(x*)",
)
def dgd_bound_measure(
    build: DgdBoundBuild = unconstrained, constrained: DgdBoundBuild = projected_dgd
) -> StudyResult:
    """Two graphs, two methods."""
    verdicts: list[Verdict] = []
    curves: list[PanelLine] = []
    for graph in (Ring(_DGD_BOUND_N), StaticExponential(_DGD_BOUND_N)):
        for row, method, theorem in (
            ("dgd", build, dgd),
            ("projected-dgd", constrained, projected),
        ):
            verdict, lines = under_bound(row, method, theorem, graph)
            verdicts.append(verdict)
            curves += lines
    return StudyResult(tuple(verdicts), curves)


# DGD's neighbourhood: proportional to the stepsize and to 1/gap; none where steps vanish.
#
# f_i(x) = a_i (x - b_i)^2 / 2 with unlike curvatures: workers disagree by gamma zeta / gap, and
# since curvatures weigh them unequally even the mean model stops off the minimiser, by an amount
# that is proportional to gamma as well. With gamma_t ~ 1/t the same method reaches it, at rate 1/t.


DgdNeighbourhoodBuild = Callable[[Stepsize, Topology], Method[Any]]

_DGD_NEIGHBOURHOOD_GAMMAS = (0.002, 0.004, 0.008, 0.016)
_DGD_NEIGHBOURHOOD_TIMES = 12.0  # steps in units of 1/gamma
_HORIZONS = np.array([500.0, 1000.0, 2000.0, 4000.0])
_DGD_NEIGHBOURHOOD_N, _DGD_NEIGHBOURHOOD_D, _DGD_NEIGHBOURHOOD_SEED = 4, 4, 96


def problem(n: int) -> Quadratic:
    """Curvatures 1/2 to 3/2, minimisers of unit variance."""
    a, b = uneven(n, _DGD_NEIGHBOURHOOD_D, _DGD_NEIGHBOURHOOD_SEED)
    return Quadratic.from_arrays(torch.from_numpy(a), torch.from_numpy(b))


def dgd_neighbourhood_distances(problem: Quadratic, rows: Floats) -> tuple[float, float]:
    """Distance of the worst worker and of the mean model to the minimiser."""
    off = rows - problem.x_star.numpy()
    return float(np.linalg.norm(off, axis=1).max()), float(np.linalg.norm(off.mean(axis=0)))


def stopped(build: DgdNeighbourhoodBuild, graph: StaticTopology, gamma: float) -> Floats:
    """Rows ``[n, d]`` where the run stops."""
    steps = int(2 * _DGD_NEIGHBOURHOOD_TIMES / gamma)
    trace = run(build(ConstantStep(gamma), graph), problem(graph.n), steps=steps, points=2)
    return np.asarray(trace.rows[0].numpy())


def falling(build: DgdNeighbourhoodBuild, graph: StaticTopology) -> Floats:
    """Distance of the worst worker after each horizon, gamma_t = 4/(t + 20)."""
    own, step, found = problem(graph.n), InverseTimeStep(4.0, 20.0), []
    for horizon in _HORIZONS:
        trace = run(build(step, graph), own, steps=int(horizon), points=2)
        found.append(dgd_neighbourhood_distances(own, trace.rows[0].numpy())[0])
    return np.array(found)


def along_gap(family: GrowingGraphs) -> Floats:
    """Largest distance at gamma = gap / 1000 over gamma, minimisers along the slowest mode."""
    found = []
    for graph, gap in zip(family.graphs[:3], family.gaps[:3], strict=True):
        b = slowest_mode(graph.matrix(0))[:, None]
        rows = stopped_at(graph.matrix(0), np.ones_like(b), b, gap / 1000)
        found.append(float(np.sqrt(np.square(rows).mean())) * 1000 / gap)
    return np.array(found)


@study(
    "dgd",
    "quadratic",
    "gamma/gap in DGD's neighbourhood",
    "stepsize gamma",
    "distance of the worst worker from x* [x]",
)
def dgd_neighbourhood_measure(build: DgdNeighbourhoodBuild = dgd_neighbourhood_dgd) -> StudyResult:
    """Exponent of gamma for worst worker and mean model, of 1/gap on rings, of T."""
    graph, own = Ring(_DGD_NEIGHBOURHOOD_N), problem(_DGD_NEIGHBOURHOOD_N)
    rows = [stopped(build, graph, gamma) for gamma in _DGD_NEIGHBOURHOOD_GAMMAS]
    a, b = uneven(_DGD_NEIGHBOURHOOD_N, _DGD_NEIGHBOURHOOD_D, _DGD_NEIGHBOURHOOD_SEED)
    solved = [stopped_at(graph.matrix(0), a, b, gamma) for gamma in _DGD_NEIGHBOURHOOD_GAMMAS]
    worst, mean = (
        np.array(v) for v in zip(*(dgd_neighbourhood_distances(own, r) for r in rows), strict=True)
    )
    x, told = (
        np.array(_DGD_NEIGHBOURHOOD_GAMMAS),
        f"no noise, ring of {_DGD_NEIGHBOURHOOD_N}, {2 * _DGD_NEIGHBOURHOOD_TIMES:g}/gamma "
        f"steps, seed {_DGD_NEIGHBOURHOOD_SEED}",
    )
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
                claim=f"{subset} stops at a distance proportional to gamma",
                provenance=f"{told}; gamma/gap <= 0.024",
            )
            for subset, y in (("the worst worker", worst), ("the mean model", mean))
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
            provenance=f"no noise, ring of {_DGD_NEIGHBOURHOOD_N}, seed {_DGD_NEIGHBOURHOOD_SEED}",
        ),
    )  # fmt: skip
    return StudyResult(verdicts, (noise_free(x, worst, reference, mean_model=mean),))


# Projected DGD's neighbourhood of the constrained optimum is proportional to the stepsize.
#
# f_i(x) = sum_j a_{ij} (x_j - b_{ij})^2 / 2 with unlike curvatures and minimisers, without noise,
# on the simplex, a ball and a box: where the run stops, against the minimiser of the mean over the
# set, which the KKT conditions give by the root of one multiplier.


ProjectedNeighbourhoodBuild = Callable[[Stepsize, Topology, ConvexSet, Gradients], Method[Any]]

_PROJECTED_NEIGHBOURHOOD_GAMMAS = (0.004, 0.008, 0.016)
(
    _PROJECTED_NEIGHBOURHOOD_TIMES,
    _PROJECTED_NEIGHBOURHOOD_N,
    _PROJECTED_NEIGHBOURHOOD_D,
    _PROJECTED_NEIGHBOURHOOD_SEED,
) = 24.0, 4, 5, 103  # steps in units of 1/gamma


def projected_neighbourhood_distances(
    build: ProjectedNeighbourhoodBuild, name: str
) -> tuple[Floats, Floats]:
    """Along the stepsizes: of the worst worker to the constrained minimiser, and to the set."""
    a, b = uneven(
        _PROJECTED_NEIGHBOURHOOD_N, _PROJECTED_NEIGHBOURHOOD_D, _PROJECTED_NEIGHBOURHOOD_SEED
    )
    b = b + 1.5 * np.random.default_rng(_PROJECTED_NEIGHBOURHOOD_SEED).normal(
        size=_PROJECTED_NEIGHBOURHOOD_D
    )  # what is common leaves the sets
    problem = Quadratic.from_arrays(torch.from_numpy(a), torch.from_numpy(b))
    best = kkt(name, a.mean(axis=0), (a * b).mean(axis=0))
    found, outside = [], []
    for gamma in _PROJECTED_NEIGHBOURHOOD_GAMMAS:
        method = build(ConstantStep(gamma), Ring(_PROJECTED_NEIGHBOURHOOD_N), DOMAINS[name], Full())
        trace = run(method, problem, steps=int(_PROJECTED_NEIGHBOURHOOD_TIMES / gamma), points=2)
        found.append(float(np.linalg.norm(trace.rows[0].numpy() - best, axis=1).max()))
        outside.append(float((trace.rows - DOMAINS[name].project(trace.rows)).norm(dim=-1).max()))
    return np.array(found), np.array(outside)


@study(
    "projected-dgd",
    "quadratic",
    "gamma in projected DGD's neighbourhood",
    "stepsize gamma",
    "distance of the worst worker from the constrained minimiser [x]",
)
def projected_neighbourhood_measure(
    build: ProjectedNeighbourhoodBuild = projected_dgd,
) -> StudyResult:
    """Exponent of gamma on three sets."""
    x, verdicts = np.array(_PROJECTED_NEIGHBOURHOOD_GAMMAS), []
    curves: list[PanelLine] = []
    for name in DOMAINS:
        y, outside = projected_neighbourhood_distances(build, name)
        curves += [PanelLine(name, x, y)]
        verdicts.append(
            noise_free_rate(
                x,
                y,
                1.0,
                0.05,
                tight=True,
                variable="gamma",
                subject="projected-dgd",
                problem="quadratic",
                claim=f"the worst worker stops at a distance proportional to gamma from the "
                f"minimiser over the {name}",
                provenance=f"no noise, ring of {_PROJECTED_NEIGHBOURHOOD_N}, "
                f"{_PROJECTED_NEIGHBOURHOOD_TIMES:g}/gamma steps, seed "
                f"{_PROJECTED_NEIGHBOURHOOD_SEED}; "
                "minimiser from the KKT conditions; gamma/gap <= 0.024",
            )
        )
        verdicts.append(
            identity(
                "projected-dgd",
                f"all models lie in the {name}",
                outside,
                np.zeros_like(outside),
                check="feasible",
                problem="quadratic",
                provenance=f"as above, seed {_PROJECTED_NEIGHBOURHOOD_SEED}",
            )
        )
    return StudyResult(tuple(verdicts), curves)
