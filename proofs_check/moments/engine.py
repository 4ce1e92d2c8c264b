"""Exact moments of a method on a quadratic, from its own code."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
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
from proofs_check.moments.reasons import NotLinear, Reason
from proofs_check.moments.recursion import StepClock, clock, start, stepped
from proofs_check.moments.roots import RootPeriods, root_start
from proofs_check.moments.squaring import MOST, PeriodPowers
from proofs_check.moments.turned import turned
from theory.arrays import Floats

_MANY = 1_000  # steps after which rounding is looked at
_REFUSED = 1e-4  # relative difference of a metric's root
_NOTHING = 1e-15  # share of a metric's largest root that a step may leave by rounding

_METRICS = (
    "suboptimality", "squared_gradient", "average_squared_gradient", "squared_distance",
    "consensus", "workers_suboptimality", "weighted_suboptimality",
)  # fmt: skip
"""Names of the rows of a curve."""

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
        lost: how far roots of each were apart, relatively, when they were computed again in other
            coordinates, by name ``[K]``; 0 where all steps are fewer than 1,000. A metric is NaN
            from where this is above 1e-4, as of one that is 0 but for rounding.
    """

    steps: NDArray[np.int64]
    suboptimality: Floats
    squared_gradient: Floats
    average_squared_gradient: Floats
    squared_distance: Floats
    consensus: Floats
    workers_suboptimality: Floats
    weighted_suboptimality: Floats
    lost: Mapping[str, Floats]

    def metric(self, name: str) -> Floats:
        """A metric ``[K]`` by its name.

        Raises:
            NotLinear: rounding decides it.
        """
        gone = self.lost[name] > _REFUSED
        if gone.any():
            raise _rounded(int(self.steps[int(gone.argmax())]))
        found: Floats = getattr(self, name)
        return found


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
        NotLinear: the method is outside the engine, says which part of it; or rounding decides all
            metrics.
        ValueError: steps that are negative or do not increase.
    """
    due = np.array(steps, np.int64)
    if not len(due) or due[0] < 0 or (np.diff(due) <= 0).any():
        raise ValueError(f"steps must increase from 0 or more, got steps={list(steps)}")
    additive = replace(problem, law=Law.GAUSSIAN)
    run = course(method, additive, max(int(due[-1]), 1), Key.seed(seed))
    parts = blocks(run)
    far = run.rule is None and run.period > 0 and all(map(_squared, parts))
    stages = _stages(run, due, far and weight is None)
    curves = [_curve(block, run, additive, stages, weight) for block in parts]
    found = np.sum(curves, axis=0)
    lost = np.zeros_like(found)
    if due[-1] >= _MANY:
        again = [_curve(turned(block), run, additive, stages, weight) for block in parts]
        lost = _lost(due, found, np.sum(again, axis=0))
    series = dict(zip(_METRICS, np.where(lost > _REFUSED, np.nan, found), strict=True))
    return ExactCurve(steps=due, lost=dict(zip(_METRICS, lost, strict=True)), **series)


def _squared(block: MomentBlock) -> bool:
    """Whether many periods of a block are taken at once."""
    return block.size <= MOST or not block.weights.size


def _lost(due: NDArray[np.int64], found: Floats, again: Floats) -> Floats:
    """The largest relative differences so far between roots of metrics ``[7, K]`` and those in
    other coordinates; a metric is a mean of squares, of which too small ones are nothing.

    Raises:
        NotLinear: of every metric it is above 1e-4.
    """
    one, other = (np.sign(part) * np.sqrt(np.abs(part)) for part in (found, again))
    with np.errstate(invalid="ignore", divide="ignore"):
        largest = np.where(np.isfinite(one), one, 0.0).max(-1, keepdims=True)
        off = np.abs(one - other) - _NOTHING * due * largest
        share = np.where(off > 0, off / np.maximum(np.minimum(one, other), 0.0), 0.0)
    lost: Floats = np.maximum.accumulate(share, axis=-1)
    gone = lost[np.isfinite(found).any(-1)] > _REFUSED
    if gone[:, -1].all():
        raise _rounded(int(due[int(gone.all(0).argmax())]))
    return lost


def _rounded(steps: int) -> NotLinear:
    return NotLinear(Reason.ROUNDING, what=f"after {steps} steps; fewer would do")


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
    far = any(stage.periods for stage in stages)
    if far and not block.weights.size:
        found = _by_roots(block, run, read, stages)
    else:
        found = _by_covariances(block, run, read, stages, far)
    return np.vstack((np.stack(found, -1), _weighted(block, read, stages, weight)))


def _by_roots(
    block: MomentBlock, run: MapSequence, read: Forms, stages: Sequence[_Stage]
) -> list[Floats]:
    """The metrics after each stage, where nothing is chosen."""
    periods = RootPeriods(block, run, read.gradient())
    moments, found = root_start(block), []
    for stage in stages:
        moments = periods.stepped(moments, stage.before)
        moments = periods.after(moments, stage.periods)
        moments = periods.stepped(moments, stage.after)
        found.append(values(read, moments, run.place(stage.last), stage.last))
    return found


def _by_covariances(
    block: MomentBlock, run: MapSequence, read: Forms, stages: Sequence[_Stage], far: bool
) -> list[Floats]:
    """The metrics after each stage, periods at once where it is ``far``."""
    summed = read.summed()
    periods = PeriodPowers(block, run, summed) if far else None
    moments, found = start(block), []
    for stage in stages:
        moments = stepped(block, moments, stage.before, summed)
        if periods is not None and stage.periods:
            moments = periods.after(moments, stage.periods)
        moments = stepped(block, moments, stage.after, summed)
        found.append(values(read, moments, run.place(stage.last), stage.last))
    return found


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
