"""Exact moments of a method on a quadratic, from its own code."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from algorithms.core.key import Key
from algorithms.methods.base import Method
from algorithms.problems.quadratic import Law, Quadratic
from proofs_check.moments.averaging import with_sums, with_weights
from proofs_check.moments.blocks import MomentBlock, blocks
from proofs_check.moments.course import MapSequence, course
from proofs_check.moments.metrics import Forms, forms, suboptimality, values
from proofs_check.moments.recursion import StepClock, clock, start, stepped
from proofs_check.moments.squaring import MOST, PeriodPowers
from theory.arrays import Floats

Weight = Callable[[int], float]
"""The weight w_t of x_t in an average."""


@final
@dataclass(frozen=True)
class ExactCurve:
    """Expectations over all noise and choices after ``steps`` ``[K]``; x_t is the mean model.

    They are named as in :class:`algorithms.engine.trace.Trace`, each ``[K]``.

    Attributes:
        suboptimality: E f(x_t) - f*.
        squared_gradient: E||grad f(x_t)||^2.
        average_squared_gradient: the mean of those over all s < t.
        squared_distance: E||x_t - x*||^2.
        consensus: E (1/n) sum_i ||x_i - x_t||^2.
        workers_suboptimality: E (1/n) sum_i f(x_i) - f*.
        weighted_suboptimality: E f(weighted average of x_0 .. x_{t-1}) - f*, NaN without weights.
    """

    steps: NDArray[np.int64]
    suboptimality: Floats
    squared_gradient: Floats
    average_squared_gradient: Floats
    squared_distance: Floats
    consensus: Floats
    workers_suboptimality: Floats
    weighted_suboptimality: Floats


def exact_moments(
    method: Method[Any],
    problem: Quadratic,
    steps: Sequence[int],
    *,
    seed: int = 0,
    weight: Weight | None = None,
) -> ExactCurve:
    """Exact expectations after each of ``steps``, in increasing order.

    Where a method follows a schedule that was drawn before (asynchronous ones do), they are those
    for the schedule of replica 0 of ``seed``. Of the noise only its variance matters. With the
    ``weight(t)`` of x_t in a weighted average steps are taken one by one, however many.

    Raises:
        NotLinear: the method is outside the engine; says which part of it.
        ValueError: steps that are negative or do not increase.
    """
    due = np.array(steps, np.int64)
    if not len(due) or due[0] < 0 or (np.diff(due) <= 0).any():
        raise ValueError(f"steps must increase from 0 or more, got steps={list(steps)}")
    additive = replace(problem, law=Law.GAUSSIAN)
    run = course(method, additive, max(int(due[-1]), 1), Key.seed(seed))
    parts = blocks(run)
    far = run.rule is None and run.period > 0 and all(block.size <= MOST for block in parts)
    stages = _stages(run, due, far and weight is None)
    curves = [_curve(block, run, additive, stages, weight) for block in parts]
    return ExactCurve(due, *np.sum(curves, axis=0))


class _Stage(NamedTuple):
    """The way to the next due step: so many whole periods, and steps one by one before and after.

    Attributes:
        last: the step that is due.
    """

    before: StepClock
    periods: int
    after: StepClock
    last: int


def _stages(run: MapSequence, due: NDArray[np.int64], far: bool) -> tuple[_Stage, ...]:
    """The stages of a run, which is taken whole periods at a time where it is ``far``."""
    stages, t = [], 0
    for last in map(int, due):
        first, periods = last, 0
        if far:
            turns = -(-max(t - run.begin, 0) // run.period)
            first = min(run.begin + turns * run.period, last)
            periods = max(last - first, 0) // run.period
        there = first + periods * run.period
        stages.append(_Stage(clock(run, t, first), periods, clock(run, there, last), last))
        t = last
    return tuple(stages)


def _curve(
    block: MomentBlock,
    run: MapSequence,
    problem: Quadratic,
    stages: Sequence[_Stage],
    weight: Weight | None,
) -> Floats:
    """Contribution of a block to each metric, ``[7, K]``."""
    read = forms(block, problem, len(run.maps[0][0].outputs) // problem.d - 1)
    summed = read.summed()
    periods = PeriodPowers(block, run, summed) if any(s.periods for s in stages) else None
    moments, found = start(block), []
    for stage in stages:
        moments = stepped(block, moments, stage.before, summed)
        if periods is not None and stage.periods:
            moments = periods.after(moments, stage.periods)
        moments = stepped(block, moments, stage.after, summed)
        found.append(values(read, moments, run.place(stage.last), stage.last))
    return np.vstack((np.stack(found, -1), _weighted(block, read, stages, weight)))


def _weighted(
    block: MomentBlock, read: Forms, stages: Sequence[_Stage], weight: Weight | None
) -> Floats:
    """Contribution of a block to f of the weighted average, less f*, ``[K]``."""
    if weight is None:
        return np.full(len(stages), np.nan)
    wide, sums = with_sums(block, read)
    nothing = np.zeros((len(block.outputs), wide.size + 1, wide.size + 1))
    moments, total, t, found = start(wide), 0.0, 0, []
    for stage in stages:
        weights = np.array([weight(s) for s in range(t, stage.last)])
        for part, first in ((stage.before, 0), (stage.after, len(stage.before.places))):
            own = weights[first : first + len(part.places)]
            moments = stepped(wide, moments, with_weights(part, own), nothing)
        total, t = total + float(weights.sum()), stage.last
        found.append(suboptimality(read, sums / total, moments) if total else math.nan)
    return np.array(found)
