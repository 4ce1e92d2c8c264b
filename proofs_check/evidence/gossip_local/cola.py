"""CoLa: the estimates' mean, its steps in dense linear algebra, scikit-learn's solutions, its rate.

One worker alone runs cyclic coordinate descent, which for the square loss is scikit-learn's Lasso
pass by pass. On any graph the limit is the minimiser, whatever W is: lasso, ridge and logistic
regression are held against scikit-learn's own solvers (He, Bian, Jaggi 2018, arXiv:1808.04883).
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip_local.cola import CoLa
from algorithms.problems.columns import Columns
from algorithms.problems.columns_data import breast_cancer, diabetes
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.ring import Ring
from algorithms.topologies.star import Star
from algorithms.topologies.static_exponential import StaticExponential
from algorithms.topologies.torus import Torus
from proofs_check.evidence.gossip_local.closed_forms_moments import lazy_complete
from proofs_check.evidence.gossip_local.studies import pictured
from proofs_check.instruments.closed_forms import ClosedForms, same
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import path
from proofs_check.instruments.study import StudyResult, study
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats

Build = Callable[[Topology, int], Method[Any]]

cola = ClosedForms("cola")
"""Invariant, replay, special case, solutions."""


def ridge(l2: float, n: int = 10) -> Columns:
    """Diabetes, its columns split among ``n`` workers."""
    return diabetes(n, l1=0.0, l2=l2, name="ridge-diabetes")


@cola.case("invariant", "40 steps on the ring of 5")
def mean_of_estimates(build: Build = CoLa) -> Verdict:
    """(1/n) sum_i v_i = A x after every step."""
    problem = diabetes(5)
    method = build(Ring(5), 2)
    moments = list(path(method, problem, 40))
    models = torch.stack([method.models(m.state)[0].mean(0) for m in moments])
    return same(
        "the mean of the workers' estimates v_i is A x after every step",
        torch.stack([m.state.v[0].mean(0) for m in moments]).numpy(),
        (models @ problem.columns).numpy(), on=problem,
    )  # fmt: skip


def _dense_step(
    a: Floats, y: Floats, l2: float, n: int, w: Floats, x: Floats, v: Floats
) -> tuple[Floats, Floats]:
    """One step of CoLa on ridge regression, local problems solved exactly: x ``[d]``, v ``[n, S]``.

    sigma' = n; block i solves (n/S A_i^T A_i + l2 I) D = -(A_i^T (w_i v - y)/S + l2 x_i).
    """
    size, d = a.shape
    half, after = w @ v, x.copy()
    new = half.copy()
    for i in range(n):
        block = slice(i * d // n, (i + 1) * d // n)
        part = a[:, block]
        slope = part.T @ (half[i] - y) / size + l2 * x[block]
        hessian = n / size * part.T @ part + l2 * np.eye(part.shape[1])
        change = -np.linalg.solve(hessian, slope)
        after[block] = x[block] + change
        new[i] = half[i] + n * part @ change
    return after, new


@cola.case("replay", "ring of 4, 400 passes")
def dense_replay(build: Build = CoLa) -> Verdict:
    """Ten steps with local problems solved to the end, against dense linear algebra."""
    n, l2, steps = 4, 0.1, 10
    problem = ridge(l2, n)
    a, y, w = problem.samples.numpy(), problem.targets.numpy(), Ring(n).matrix(0)
    x, v = np.zeros(problem.d), np.zeros((n, len(y)))
    for _ in range(steps):
        x, v = _dense_step(a, y, l2, n, w, x, v)
    trace = run(build(Ring(n), 400), problem, steps=steps, points=2)
    return same(
        "local problems solved exactly: x after 10 steps as dense linear algebra has it",
        trace.model[0].numpy(), x, tolerance=1e-9, on=problem,
    )  # fmt: skip


@cola.case("special case", "no gossip: one worker")
def alone_it_is_coordinate_descent(build: Build = CoLa) -> Verdict:
    """n = 1: k steps of one pass are k passes of scikit-learn's Lasso."""
    from sklearn.exceptions import (
        ConvergenceWarning,  # loaded where it is needed: it takes as long as torch
    )
    from sklearn.linear_model import Lasso

    problem = diabetes(1)
    a, y = problem.samples.numpy(), problem.targets.numpy()
    ours, theirs = [], []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        for passes in (1, 2, 5, 10):
            model = Lasso(alpha=problem.l1, fit_intercept=False, tol=0.0, max_iter=passes)
            theirs.append(model.fit(a, y).coef_)
            trace = run(build(Complete(1), 1), problem, steps=passes, points=2)
            ours.append(trace.model[0].numpy())
    return same(
        "n = 1: k steps are k passes of scikit-learn's Lasso, k = 1, 2, 5, 10", np.stack(ours),
        np.stack(theirs), tolerance=1e-10, on=problem,
    )  # fmt: skip


def solution(
    problem: Columns,
    estimator: Any,
    steps: int,
    build: Build = CoLa,
    topology: Topology | None = None,
) -> Verdict:
    """Limit of CoLa, by default on a ring, against the coefficients of ``estimator``."""
    graph = topology or Ring(problem.n)
    trace = run(build(graph, 1), problem, steps=steps, points=2)
    fitted = estimator.fit(problem.samples.numpy(), problem.targets.numpy())
    return same(
        f"on {graph.name} it ends at scikit-learn's solution of {problem.name}",
        trace.model[0].numpy(), np.asarray(fitted.coef_).ravel(), tolerance=1e-6, on=problem,
        words=f"{steps} steps of one pass, {estimator}",
    )  # fmt: skip


def _logistic(problem: Columns, solver: str) -> Any:
    """scikit-learn's estimator with the same weight of the penalty, which must be pure."""
    from sklearn.linear_model import LogisticRegression

    return LogisticRegression(
        C=1 / (len(problem.targets) * (problem.l1 + problem.l2)), l1_ratio=float(problem.l1 > 0),
        fit_intercept=False, max_iter=100_000, tol=1e-12, solver=solver,
    )  # fmt: skip


def linear_models() -> tuple[tuple[Columns, Any, int], ...]:
    """Four linear models, scikit-learn's estimators, and steps that bring CoLa to the minimiser."""
    from sklearn.linear_model import Lasso, Ridge

    lasso, squares = diabetes(4), ridge(0.1, 4)
    sparse = breast_cancer(3, l1=0.05)
    smooth = breast_cancer(4, l1=0.0, l2=0.05, name="logistic-l2-breast-cancer")
    samples = len(squares.targets)
    return (
        (lasso, Lasso(alpha=lasso.l1, fit_intercept=False, tol=1e-14, max_iter=100_000), 700),
        (squares, Ridge(alpha=squares.l2 * samples, fit_intercept=False, solver="cholesky"), 1000),
        (sparse, _logistic(sparse, "liblinear"), 2500),
        (smooth, _logistic(smooth, "newton-cholesky"), 1000),
    )


@cola.case("scikit-learn")
def solutions(build: Build = CoLa) -> Iterator[Verdict]:
    """On a ring it ends where scikit-learn does, whatever the linear model."""
    for problem, estimator, steps in linear_models():
        yield solution(problem, estimator, steps, build)


# CoLa's linear rate against the gap, on ridge regression (diabetes, one column a worker).
#
# With blocks of one column a pass solves the local problem exactly, and for the square loss a
# step is linear: v_i = A u_i, and (x, u_1, ..., u_n) with mean u = x goes through a fixed matrix.
# Its spectral radius rho is the rate in x, exactly. What is found:
#
# - on lazy complete graphs, W = (1 - gap) I + gap J: 1 - rho = gap (1 - rho_J), rho_J the rate on
#   the complete graph, where v_i = A x: exactly proportional to the gap;
# - on other graphs 1 - rho lies on or above that line, up to a factor of 2.3 on those tried.
#
# The paper states a linear rate that slows down with the gap, to order only (He, Bian, Jaggi
# 2018, arXiv:1808.04883).

RateBuild = Callable[[Topology], Method[Any]]
_N = 10
_GAPS = np.array([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0])
_WEIGHTS = (0.01, 0.1, 1.0)  # of the l2 term
_SIMULATED, _ROUNDS = (0.2, 0.5, 1.0), 240


def radius(problem: Columns, w: Floats) -> float:
    """Spectral radius of a step on (x, u_1, ..., u_{n-1}); u_n is what keeps the mean at x."""
    n, d = problem.n, problem.d
    a = problem.samples.numpy()
    gram = a.T @ a / a.shape[0]
    half = np.hstack((np.zeros((n * d, d)), np.kron(w, np.eye(d))))
    x, u = np.eye(d, d * (n + 1)), half.copy()
    for i in range(n):
        pull = gram[i] @ half[i * d : (i + 1) * d] + problem.l2 * np.eye(d, d * (n + 1))[i]
        change = -pull / (n * gram[i, i] + problem.l2)
        x[i] += change
        u[i * d + i] += n * change
    free = np.vstack(
        (np.eye(n * d), np.hstack((n * np.eye(d), *([-np.eye(d)] * (n - 1)))))
    )  # u_n = n x - u_1 - ... - u_{n-1}
    step = (np.vstack((x, u)) @ free)[: n * d]
    return float(np.abs(np.linalg.eigvals(step)).max())


def _law(problems: dict[float, Columns]) -> Verdict:
    """(1 - rho) / (1 - rho_J) against the gap."""
    ratios = []
    for problem in problems.values():
        whole = 1 - radius(problem, lazy_complete(_N, 1.0))
        ratios.append([(1 - radius(problem, lazy_complete(_N, g))) / whole / g for g in _GAPS])
    return identity(
        "cola",
        "lazy complete graphs: 1 - rho = gap (1 - rho_J)",
        ratios,
        1.0,
        check="law of the rate",
        problem="ridge-diabetes",
        tolerance=1e-8,
        provenance=f"exact spectral radii, no seed, l2 in {_WEIGHTS}, n={_N}, one column a worker",
    )


def _simulated(problem: Columns, build: RateBuild) -> tuple[Verdict, Floats]:
    """Rate of ||x - x*|| late in a run against rho."""
    measured, exact = [], []
    for gap in _SIMULATED:
        w = lazy_complete(_N, gap)
        method = build(FixedMatrix(w, f"gap {gap:g}"))
        rounds = int(_ROUNDS / gap)
        trace = run(method, problem, steps=rounds, points=rounds + 1)
        distance = np.sqrt(trace.squared_distance[0])
        early = rounds * 9 // 10
        measured.append((distance[-1] / distance[early]) ** (1 / (rounds - early)))
        exact.append(radius(problem, w))
    verdict = identity(
        "cola",
        "the rate of ||x - x*|| in simulation is the spectral radius",
        measured, exact, check="rate in simulation", problem="ridge-diabetes", tolerance=1e-4,
        provenance=f"no seed, l2 = {problem.l2:g}, gaps {_SIMULATED}; others not yet dead",
    )  # fmt: skip
    return verdict, np.array(measured)


def _graphs() -> tuple[Topology, ...]:
    """Other graphs of ten workers."""
    return (Star(_N), Ring(_N), Torus(2, 5), StaticExponential(_N), Complete(_N))


def _near_the_line(problem: Columns) -> tuple[Verdict, Floats, Floats]:
    """(1 - rho) / (gap (1 - rho_J)) on other graphs."""
    whole = 1 - radius(problem, lazy_complete(_N, 1.0))
    gaps = np.array([1 - g.constants().need("lam") for g in _graphs()])
    rates = np.array([1 - radius(problem, g.matrix(0)) for g in _graphs()])
    ratios = rates / (gaps * whole)
    verdict = Verdict(
        subject="cola",
        problem="ridge-diabetes",
        claim="star, ring, torus, exponential, complete: 1 - rho >= gap (1 - rho_J)",
        check="law of the rate",
        outcome=Outcome.SUPPORTED if ratios.min() >= 1 - 1e-8 else Outcome.REFUTED,
        statistic=float(ratios.min()),
        bound=1.0,
        evidence=f"ratio {ratios.min():.3g} to {ratios.max():.3g} over {len(ratios)} graphs",
        provenance=f"exact spectral radii, no seed, l2 = {problem.l2:g}, n={_N}",
    )
    order = np.argsort(gaps)
    return verdict, gaps[order], rates[order]


@study(
    "cola",
    "ridge-diabetes",
    "CoLa's linear rate is proportional to the gap",
    "spectral gap",
    "1 - rate of convergence of x [1/step]",
    name="cola_gap",
)
def measure(build: RateBuild = CoLa) -> StudyResult:
    """Rates over the gap, exact, in simulation and on other graphs."""
    problems = {l2: ridge(l2) for l2 in _WEIGHTS}
    simulated, measured = _simulated(problems[1.0], build)
    near, gaps, rates = _near_the_line(problems[1.0])
    lines: dict[str, tuple[Floats, Floats]] = {
        f"lazy complete, l2 = {l2:g}": (
            _GAPS, np.array([1 - radius(p, lazy_complete(_N, g)) for g in _GAPS]),
        )
        for l2, p in problems.items()
    }  # fmt: skip
    lines["the same in simulation, l2 = 1"] = (np.array(_SIMULATED), 1 - measured)
    lines["star, ring, torus, exponential, complete, l2 = 1"] = (gaps, rates)
    return StudyResult((_law(problems), simulated, near), pictured(lines))
