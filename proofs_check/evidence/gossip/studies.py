"""Studies: settings, d psgd gap, d psgd leading, gap free leading."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.problems.base import Problem
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.partitions import Dirichlet
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import L2
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from algorithms.topologies.static_exponential import StaticExponential
from algorithms.topologies.torus import Torus
from proofs_check.curves import PanelLine, RateSeries, band
from proofs_check.evidence.gossip_convex.closed_forms import stopped_at, uneven
from proofs_check.instruments.evidence import ALPHA, identity, mean_square
from proofs_check.instruments.study import StudyResult, noise_free, noise_free_rate, study
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

# What studies of gossip share: graphs of the comparison, and a direction that mixes slowest.


def topologies(n: int) -> tuple[Topology, ...]:
    """The four graphs of the comparison."""
    return (Ring(n), Torus.square(n), StaticExponential(n), Complete(n))


def slowest_mode(w: Floats) -> Floats:
    """A direction ``[n]``, of mean zero and mean square one, that W shrinks least."""
    n = w.shape[0]
    left, _, _ = np.linalg.svd(w - np.ones((n, n)) / n)
    mode = left[:, 0] - left[:, 0].mean()
    return np.asarray(mode / np.sqrt(np.mean(mode**2)))


# D-PSGD's consensus error grows as gamma zeta / gap when workers differ, without noise.
#
# f_i(x) = ||x - b_i||^2 / 2: the models stop at (I - W + gamma I)^{-1} gamma B, hence their
# distance from consensus is at most gamma zeta / gap, with equality (for gamma << gap) where B lies
# along the slowest mode of W. Ring, torus, static exponential and complete graph, n = 16 and 64.


_D_PSGD_GAP_GAMMA, _RANDOM, _D_PSGD_GAP_SEED = 1e-5, 7, 73
_TIMES = 20  # steps in units of 1/gap: what is left of the start is e^-20


def minimisers(topology: Topology) -> Floats:
    """b_i ``[n, d]``: column 0 along the slowest mode, the others random; mean zero."""
    random = np.random.default_rng(_D_PSGD_GAP_SEED).normal(size=(topology.n, _RANDOM))
    columns = np.column_stack((slowest_mode(topology.matrix(0)), random))
    return np.asarray(columns - columns.mean(axis=0))


def stopped(build: Callable[[Stepsize, Topology], Method[Any]], topology: Topology) -> Floats:
    """Model rows ``[n, d]`` at the fixed point."""
    b = torch.from_numpy(minimisers(topology))
    problem = Quadratic.from_arrays(torch.ones_like(b), b)
    steps = int(_TIMES / (1 - topology.constants().need("lam"))) + 30
    trace = run(build(ConstantStep(_D_PSGD_GAP_GAMMA), topology), problem, steps=steps, points=3)
    return np.asarray(trace.rows[0].numpy())


@study(
    "d-psgd",
    "quadratic",
    "1/gap in the consensus error",
    "1 / spectral gap",
    "consensus error, root mean square [x]",
)
def d_psgd_gap_measure(build: Callable[[Stepsize, Topology], Method[Any]] = DPSGD) -> StudyResult:
    """Exponent of 1/gap along the slowest mode; all under gamma zeta / gap; fixed points."""
    graphs = topologies(16) + topologies(64)
    gaps = np.array([1 - t.constants().need("lam") for t in graphs])
    rows = [stopped(build, t) for t in graphs]
    solved = [
        np.linalg.solve(
            (1 + _D_PSGD_GAP_GAMMA) * np.eye(t.n) - t.matrix(0), _D_PSGD_GAP_GAMMA * minimisers(t)
        )
        for t in graphs
    ]
    rms = np.array([np.sqrt(np.square(x[:, 0] - x[:, 0].mean()).mean()) for x in rows])
    real = [0, 1, 4, 5, 7]  # symmetric W whose slowest eigenvalue is positive, or W = J
    order = np.argsort(1 / gaps[real])
    x, y = (1 / gaps)[real][order], rms[real][order]
    description = (
        f"no noise, gamma {_D_PSGD_GAP_GAMMA}, {_TIMES}/gap steps, seed {_D_PSGD_GAP_SEED} "
        f"for the random columns"
    )
    verdicts = (
        noise_free_rate(
            x, y, 1.0, 0.01, tight=True, variable="1/gap", subject="d-psgd", problem="quadratic",
            claim="consensus error along the slowest mode = gamma zeta/gap: exponent 1 of 1/gap",
            provenance=f"{description}; gamma/gap <= 0.004",
        ),
        _under(rows, graphs, gaps, description),
        identity(
            "d-psgd", "models stop at (I - W + gamma I)^-1 gamma B on all eight graphs",
            np.concatenate([r.ravel() for r in rows]) / _D_PSGD_GAP_GAMMA,
            np.concatenate([s.ravel() for s in solved]) / _D_PSGD_GAP_GAMMA,
            check="closed form", problem="quadratic", tolerance=1e-6, provenance=description,
        ),
    )  # fmt: skip
    return StudyResult(verdicts, (noise_free(x, y, _D_PSGD_GAP_GAMMA * x),))


def _under(
    rows: list[Floats], graphs: tuple[Topology, ...], gaps: Floats, description: str
) -> Verdict:
    """Largest consensus error / (gamma zeta / gap) over graphs and columns."""
    ratios = []
    for x, topology, gap in zip(rows, graphs, gaps, strict=True):
        b = minimisers(topology)
        error = np.sqrt(np.square(x - x.mean(axis=0)).mean(axis=0))
        ratios.append(error / (_D_PSGD_GAP_GAMMA / gap * np.sqrt(np.square(b).mean(axis=0))))
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
        provenance=description,
    )


# D-PSGD's leading term does not know the graph: the mean model errs as BSP's does.
#
# Logistic regression on shards that differ, small constant stepsize, n = 16: the suboptimality of
# the mean model on ring, torus and static exponential against the complete graph, independent
# seeds.


_N, _D_PSGD_LEADING_REPLICAS, _STEPS, _D_PSGD_LEADING_SEED, _D_PSGD_LEADING_GAMMA, _LAST = (
    16,
    48,
    600,
    74,
    0.05,
    20,
)


@study(
    "d-psgd",
    "logreg-breast-cancer",
    "gap^0 in the leading term",
    "1 / spectral gap",
    "E f(xbar) - f* [f]",
)
def d_psgd_leading_measure(
    build: Callable[[Stepsize, Topology], Method[Any]] = DPSGD,
) -> StudyResult:
    """Late suboptimality per graph, each against the complete graph."""
    problem = breast_cancer(_N, L2(0.1), partition=Dirichlet(1.0))
    graphs = topologies(_N)
    late = [_late(build, problem, t, _D_PSGD_LEADING_SEED + k) for k, t in enumerate(graphs)]
    verdicts = tuple(
        _equal(problem, t, y, late[-1]) for t, y in zip(graphs[:-1], late[:-1], strict=True)
    )
    x = np.array([1 / (1 - t.constants().need("lam")) for t in graphs])[::-1]
    mean, low, high = band(np.stack(late[::-1], axis=1))
    flat = np.full_like(mean, mean[0])
    return StudyResult(verdicts, (RateSeries(x, mean, low, high, flat, flat),))


def _late(
    build: Callable[[Stepsize, Topology], Method[Any]], problem: Problem, graph: Topology, seed: int
) -> Floats:
    """f(xbar) - f* ``[R]``, averaged over the last records of a run."""
    trace = run(
        build(ConstantStep(_D_PSGD_LEADING_GAMMA), graph),
        problem,
        steps=_STEPS,
        seed=seed,
        replicas=_D_PSGD_LEADING_REPLICAS,
        points=200,
    )
    return np.asarray(trace.suboptimality[:, -_LAST:].mean(axis=1))


def _equal(problem: Problem, graph: Topology, y: Floats, complete: Floats) -> Verdict:
    """Welch's test of equal means, two-sided."""
    errors = [v.var(ddof=1) / v.size for v in (y, complete)]
    half = float(scipy.stats.t.isf(ALPHA / 2, y.size - 1) * np.sqrt(sum(errors)))
    base = float(complete.mean())
    ratio = float(y.mean()) / base
    return Verdict(
        subject="d-psgd",
        problem=problem.name,
        claim=f"leading term free of the gap: mean model on {graph.name} errs as on the complete "
        "graph",
        check="equal leading terms",
        outcome=Outcome.SUPPORTED if abs(ratio - 1) <= half / base else Outcome.REFUTED,
        statistic=ratio,
        bound=1.0,
        uncertainty=half / base,
        resolution=2 * half / base,
        evidence=f"f(xbar) - f*: {y.mean():.5g} against {base:.5g}, ratio {ratio:.4f} +- "
        f"{half / base:.2g}",
        provenance=f"seeds {_D_PSGD_LEADING_SEED} on, {_D_PSGD_LEADING_REPLICAS} replicas, "
        f"{_STEPS} "
        f"steps, n={_N}, gamma "
        f"{_D_PSGD_LEADING_GAMMA}, Dirichlet(1) shards, error {ALPHA:g}",
    )


# D-PSGD's leading term is free of the gap, to five digits: exact moments on unlike quadratics.
#
# f_i(x) = a_i (x - b_i)^2 / 2 with noise: X <- (W - gamma A) X + gamma (A b + noise), so mean and
# covariance of all models are solutions of linear equations. The stationary error of the mean model
# on a graph, over that on the complete graph, is 1 + O(gamma): what the gap does vanishes with the
# stepsize, which a comparison of runs (:mod:`proofs_check.evidence.gossip.studies`) resolves
# to a quarter only.


Build = Callable[[Stepsize, Topology], Method[Any]]

_GAP_FREE_LEADING_REPLICAS, _COLUMNS, _GAP_FREE_LEADING_SEED = 256, 16, 97
_GAMMAS = np.geomspace(1e-6, 1e-4, 5)


def stationary(graph: Topology, gamma: float) -> float:
    """E (xbar - x*)^2 where nothing changes any more, unit noise, one coordinate."""
    a, b = uneven(graph.n, 1, _GAP_FREE_LEADING_SEED)
    move = graph.matrix(0) - gamma * np.diag(a[:, 0])
    best = float((a * b).sum() / a.sum())
    bias = float(stopped_at(graph.matrix(0), a, b, gamma).mean()) - best
    spread = scipy.linalg.solve_discrete_lyapunov(
        move, gamma**2 * np.eye(graph.n), method="bilinear"
    )
    return bias**2 + float(spread.mean())


def after(graph: Topology, gamma: float, steps: int) -> tuple[float, float]:
    """Mean and variance of xbar - x* after ``steps`` steps from 0."""
    a, b = uneven(graph.n, 1, _GAP_FREE_LEADING_SEED)
    move = graph.matrix(0) - gamma * np.diag(a[:, 0])
    mean, spread = np.zeros(graph.n), np.zeros((graph.n, graph.n))
    for _ in range(steps):
        mean = move @ mean + gamma * (a * b)[:, 0]
        spread = move @ spread @ move.T + gamma**2 * np.eye(graph.n)
    best = float((a * b).sum() / a.sum())
    return float(mean.mean()) - best, float(spread.mean())


def simulated(build: Build) -> Verdict:
    """A run on the ring of 8 against the recursion of its moments."""
    graph, gamma, steps = Ring(8), 0.2, 60
    a, b = (
        torch.from_numpy(np.tile(v, (1, _COLUMNS))) for v in uneven(8, 1, _GAP_FREE_LEADING_SEED)
    )
    problem = Quadratic.from_arrays(a, b, sigma2=float(_COLUMNS))
    method = build(ConstantStep(gamma), graph)
    trace = run(
        method,
        problem,
        steps=steps,
        seed=_GAP_FREE_LEADING_SEED,
        replicas=_GAP_FREE_LEADING_REPLICAS,
        points=2,
    )
    centre, variance = after(graph, gamma, steps)
    return mean_square(
        "d-psgd",
        "E (xbar - x*)^2 on unlike quadratics is that of the moments' recursion",
        (trace.model - problem.x_star).numpy(),
        variance,
        centre=centre,
        check="exact moments",
        problem=problem.name,
        provenance=f"ring of 8, gamma {gamma}, {steps} steps, {_GAP_FREE_LEADING_REPLICAS} "
        f"replicas "
        f"of {_COLUMNS} "
        f"coordinates, seed {_GAP_FREE_LEADING_SEED}",
    )


def excess(graph: Topology) -> Floats:
    """Stationary error over that on the complete graph, minus 1, along the stepsizes."""
    complete = topologies(graph.n)[-1]
    return np.array([stationary(graph, g) / stationary(complete, g) - 1 for g in _GAMMAS])


def vanishes(graph: Topology, y: Floats) -> Verdict:
    """The rest beside the leading term falls as gamma^1."""
    return noise_free_rate(
        _GAMMAS, np.abs(y), 1.0, 0.02, tight=True, variable="gamma", subject="d-psgd",
        problem="quadratic",
        claim=f"what {graph.name} changes of the error of the mean model vanishes as gamma",
        provenance=f"exact moments, no seed, n={graph.n}, gamma from 1e-6 to 1e-4, "
        "curvatures 0.5 to 1.5",
    )  # fmt: skip


def equal(graph: Topology, y: Floats) -> Verdict:
    """The leading terms themselves, by extrapolation to gamma = 0 from the two smallest."""
    limit = 1 + float(y[0] - (y[1] - y[0]) / (_GAMMAS[1] - _GAMMAS[0]) * _GAMMAS[0])
    return Verdict(
        subject="d-psgd", problem="quadratic",
        claim=f"leading term on {graph.name} = that on the complete graph",
        check="equal leading terms",
        outcome=Outcome.SUPPORTED if abs(limit - 1) <= 1e-5 else Outcome.REFUTED,
        statistic=limit, bound=1.0, uncertainty=1e-5, resolution=1e-5,
        evidence=f"ratio {1 + y[-1]:.6f} at gamma 1e-4, {1 + y[0]:.8f} at 1e-6, {limit:.9f} "
        "extrapolated to 0",
        provenance=f"exact moments, no seed, n={graph.n}, no randomness",
    )  # fmt: skip


@study(
    "d-psgd",
    "quadratic",
    "gap^0 in the leading term, by exact moments",
    "stepsize gamma",
    "error of the mean model against the complete graph, |ratio - 1|",
)
def gap_free_leading_measure(build: Build = DPSGD) -> StudyResult:
    """Ring, torus and static exponential graph of 16 against the complete graph."""
    graphs = topologies(_N)[:-1]
    found = [excess(graph) for graph in graphs]
    verdicts = [simulated(build)]
    curves: list[PanelLine] = []
    for graph, y in zip(graphs, found, strict=True):
        verdicts += [vanishes(graph, y), equal(graph, y)]
        curves += [PanelLine(graph.name, _GAMMAS, np.abs(y))]
    return StudyResult(tuple(verdicts), curves)
