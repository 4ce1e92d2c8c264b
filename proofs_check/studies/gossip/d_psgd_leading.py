r"""D-PSGD's leading term does not know the graph: the mean model errs as BSP's does.

Logistic regression on shards that differ, small constant stepsize, n = 16: the suboptimality of
the mean model on ring, torus and static exponential against the complete graph, independent seeds.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import scipy

from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.problems.base import Problem
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.partitions import Dirichlet
from algorithms.problems.regularisers import L2
from algorithms.topologies.base import Topology
from proofs_check.curves import RateSeries, band
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.study import Study, StudyResult
from proofs_check.studies.gossip.settings import topologies
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

_N, _REPLICAS, _STEPS, _SEED, _GAMMA, _LAST = 16, 48, 600, 74, 0.05, 20


def measure(build: Callable[[Stepsize, Topology], Method[Any]] = DPSGD) -> StudyResult:
    """Late suboptimality per graph, each against the complete graph."""
    problem = breast_cancer(_N, L2(0.1), partition=Dirichlet(1.0))
    graphs = topologies(_N)
    late = [_late(build, problem, t, _SEED + k) for k, t in enumerate(graphs)]
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
        build(ConstantStep(_GAMMA), graph),
        problem,
        steps=_STEPS,
        seed=seed,
        replicas=_REPLICAS,
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
        provenance=f"seeds {_SEED} on, {_REPLICAS} replicas, {_STEPS} steps, n={_N}, gamma "
        f"{_GAMMA}, Dirichlet(1) shards, error {ALPHA:g}",
    )


STUDY = Study(
    "d_psgd_leading",
    "d-psgd",
    "logreg-breast-cancer",
    "gap^0 in the leading term",
    "1 / spectral gap",
    "E f(xbar) - f* [f]",
    measure,
)
