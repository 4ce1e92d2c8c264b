"""The engine's numbers are the means of runs, within intervals of error 1e-7 a test."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from scipy import stats

from algorithms.catalogue import METHODS
from algorithms.engine.run import run
from proofs_check.moments.engine import exact_moments
from proofs_check.moments.rows import standard_problem
from theory.stepsizes import ConstantStep, InverseRootStep, Stepsize

STEPS, REPLICAS, ERROR = 40, 400, 1e-7
METRICS = ("suboptimality", "average_squared_gradient", "squared_distance", "consensus",
           "workers_suboptimality")  # fmt: skip


def built(key: str, step: Stepsize = ConstantStep(0.05)) -> Any:  # noqa: B008
    row = next(r for r in METHODS if r.key == key)
    return row.ready().build(step, standard_problem(), STEPS)


@pytest.mark.parametrize(
    "key", ["pr-sgd-momentum", "random-k", "error-feedback", "sgp", "cocod-sgd", "bmuf", "bcd"]
)
def test_runs(key: str) -> None:
    _compare(built(key), REPLICAS)


def test_runs_of_a_decreasing_stepsize() -> None:
    _compare(built("d2", InverseRootStep(0.2)), REPLICAS)


def _compare(method: Any, replicas: int) -> None:
    problem = standard_problem()
    exact = exact_moments(method, problem, (STEPS,))
    trace = run(
        method, problem, steps=STEPS, replicas=replicas, seed=3, every=1, points=2, of_workers=True
    )
    quantile = stats.t.isf(ERROR / 2 / len(METRICS), replicas - 1)
    for name in METRICS:
        values = getattr(trace, name)[:, -1]
        width = quantile * values.std(ddof=1) / np.sqrt(replicas) + 1e-12 * (1 + abs(values.mean()))
        assert abs(values.mean() - getattr(exact, name)[0]) <= width, name


def test_runs_of_one_schedule() -> None:
    """An asynchronous method, its schedule that of replica 0 in every run."""
    method, problem = built("asp"), standard_problem()
    exact = exact_moments(method, problem, (STEPS,)).suboptimality[0]
    values = np.array([
        run(method, problem, steps=STEPS, seed=seed, points=2).suboptimality[0, -1]
        for seed in range(100)
    ])  # fmt: skip
    width = stats.t.isf(ERROR / 2, 99) * values.std(ddof=1) / 10
    assert abs(values.mean() - exact) <= width
