"""Rows of the catalogue that the engine takes, why it does not take the others, and exponents."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import torch

from algorithms.catalogue.row import Row
from algorithms.core.key import Key
from algorithms.methods.base import RunContext
from algorithms.network.simulated import Simulated
from algorithms.problems.quadratic import Quadratic
from proofs_check.moments.course import course
from proofs_check.moments.engine import exact_moments
from proofs_check.moments.reasons import NotLinear, Reason
from theory.stepsizes import ConstantStep

_STEPS = 48  # that are looked at: every part of a row's step has come by then
_STEP = 0.05
_HORIZONS = (250_000, 1_000_000)
_SCALE = 0.5  # of the stepsize T^-1/2


@final
@dataclass(frozen=True)
class RowEngineFacts:
    """Findings of the engine on a row.

    Attributes:
        key: the row's name.
        reason: why the engine does not take it; None where it does.
        exponent: of the average squared gradient in T at stepsizes T^-1/2, between a quarter of a
            million steps and a million; NaN where none was found.
        note: why no exponent was found.
    """

    key: str
    reason: NotLinear | None
    exponent: float = math.nan
    note: str = ""


def standard_problem() -> Quadratic:
    """A quadratic of 4 workers in R^4 with noise and heterogeneity, which every row is tried on."""
    return Quadratic.strongly_convex(4, 4, L=1.0, mu=0.1, sigma2=1.0, zeta2=1.0)


def engine_reason(row: Row) -> NotLinear | None:
    """Reason why the engine does not take a row that takes steps; None where it does."""
    problem = standard_problem()
    try:
        method = row.ready().build(ConstantStep(_STEP), problem, _STEPS)
        course(method, problem, _STEPS, Key.seed(0))
    except NotLinear as reason:
        return reason
    except ValueError as error:
        return NotLinear(Reason.PROBLEM, what=str(error))
    return None


def is_exact(row: Row) -> bool:
    """Whether the engine gives a row's expectations exactly."""
    return engine_reason(row) is None


def row_moments(row: Row) -> RowEngineFacts:
    """Findings of the engine on a row, with its exponent where it has one."""
    reason = engine_reason(row)
    if reason is not None:
        return RowEngineFacts(row.key, reason)
    if _follows_schedule(row):
        return RowEngineFacts(row.key, None, note="follows a schedule, which never comes again")
    try:
        values = [_at_root(row, steps) for steps in _HORIZONS]
    except NotLinear as error:
        return RowEngineFacts(row.key, None, note=str(error))
    slope = math.log(values[1] / values[0]) / math.log(_HORIZONS[1] / _HORIZONS[0])
    return RowEngineFacts(row.key, None, slope)


def _follows_schedule(row: Row) -> bool:
    """Whether the row's method knows what time it is."""
    problem = standard_problem()
    method = row.ready().build(ConstantStep(_STEP), problem, _STEPS)
    context = RunContext(problem, Simulated(problem.n), Key.seed(0), torch.arange(1))
    return method.seconds(method.init(problem.start(), context), 0) is not None


def _at_root(row: Row, steps: int) -> float:
    """The average squared gradient after ``steps`` steps at the stepsize T^-1/2."""
    problem, step = standard_problem(), ConstantStep(_SCALE / math.sqrt(steps))
    curve = exact_moments(row.ready().build(step, problem, steps), problem, [steps])
    return float(curve.metric("average_squared_gradient")[0])
