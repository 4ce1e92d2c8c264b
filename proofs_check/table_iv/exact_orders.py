"""Exponents of T of stated orders by exact moments, where a row's method is linear.

The stepsizes are those of the order, the problem a small quadratic, horizons as in the cells of
Table IV; compute times come again, so that schedules have a period.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.base import ComputeTimes
from proofs_check.methods.order_runs import OrderRuns, constants_of
from proofs_check.methods.sweep_points import put
from proofs_check.methods.tuned_run import measured_name
from proofs_check.moments.engine import exact_moments
from proofs_check.table_iv.cyclic_times import CyclicTimes
from theory.stepsizes import InverseTimeStep, Stepsize
from theory.theorem import Metric

_N, _D = 2, 2
_CYCLE, _SEED = 2, 0
_LEAST = 0.002
HORIZONS = (2**9, 2**11, 2**13)
"""Numbers of steps, which are taken one by one."""


def exact_order_exponent(
    runs: OrderRuns, horizons: Sequence[int] = HORIZONS
) -> tuple[float, float]:
    """The exponent between the last two horizons, and by how much that before it differs; over
    T + a where stepsizes are 2/(mu (a + t)).

    Raises:
        NotLinear: the row's method has no exact moments.
        ValueError: its metric is none of theirs, or no positive number there.
    """
    name = measured_name(runs.metric)
    if name is None:
        raise ValueError(f"exact moments have no {runs.metric.value}")
    row = put(runs.row, ComputeTimes, CyclicTimes(_CYCLE, _SEED))
    problem = Quadratic.strongly_convex(_N, _D, zeta2=(runs.constants.zeta2 and 1.0) or 0.0)
    c = constants_of(row, problem, horizons[-1])
    assert c.L is not None
    laws = [runs.law.step(0.25 / c.L, c, steps, horizons[0]) for steps in horizons]
    first = laws[0]
    shift = first.shift if isinstance(first, InverseTimeStep) else 0.0
    weight: Callable[[int], float] | None = None
    if runs.metric is Metric.WEIGHTED_SUBOPTIMALITY:
        weight = _rising
    values = [
        float(
            exact_moments(_built(row.ready().build, step, problem, steps), problem, (steps,),
                          weight=weight).metric(name)[0]
        )
        for step, steps in zip(laws, horizons, strict=True)
    ]  # fmt: skip
    if not (np.isfinite(values).all() and min(values) > 0):
        raise ValueError(f"{runs.metric.value} is no positive number on {problem.name}")
    local = np.diff(np.log(values)) / np.diff(np.log(np.array(horizons) + shift))
    return float(local[-1]), max(_LEAST, abs(float(local[-1] - local[-2])))


def _rising(t: int) -> float:
    return float(t + 1)


def _built(
    build: Callable[[Stepsize, Problem, int], Any], step: Stepsize, p: Problem, t: int
) -> Any:
    """The method, whose schedule is drawn for one replica where it has one."""
    method = build(step, p, t)
    return replace(method, replicas=1) if hasattr(method, "replicas") else method
