r"""CoLa's linear rate against the gap, on ridge regression (diabetes, one column a worker).

With blocks of one column a pass solves the local problem exactly, and for the square loss a step
is linear: v_i = A u_i, and (x, u_1, ..., u_n) with mean u = x goes through a fixed matrix. Its
spectral radius rho is the rate in x, exactly. What is found:

- on lazy complete graphs, W = (1 - gap) I + gap J: 1 - rho = gap (1 - rho_J), rho_J the rate on the
  complete graph, where v_i = A x: exactly proportional to the gap;
- on other graphs 1 - rho lies on or above that line, up to a factor of 2.3 on those tried.

The paper states a linear rate that slows down with the gap, to order only (He, Bian, Jaggi 2018,
arXiv:1808.04883).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip_local.cola import CoLa
from algorithms.problems.columns import Columns
from algorithms.problems.columns_data import diabetes
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.ring import Ring
from algorithms.topologies.star import Star
from algorithms.topologies.static_exponential import StaticExponential
from algorithms.topologies.torus import Torus
from proofs_check.evidence.gossip_local.closed_forms_moments import lazy_complete
from proofs_check.evidence.gossip_local.studies import pictured
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.study import StudyResult, study
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats

Build = Callable[[Topology], Method[Any]]
_N = 10
_GAPS = np.array([0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0])
_WEIGHTS = (0.01, 0.1, 1.0)  # of the l2 term
_SIMULATED, _ROUNDS = (0.2, 0.5, 1.0), 240


def ridge(l2: float) -> Columns:
    """Diabetes, one column for each of ten workers."""
    return diabetes(_N, l1=0.0, l2=l2, name="ridge-diabetes")


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


def _simulated(problem: Columns, build: Build) -> tuple[Verdict, Floats]:
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
def measure(build: Build = CoLa) -> StudyResult:
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
