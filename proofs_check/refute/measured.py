"""A claim at one instance: constants, the stepsize, and the metric beside the bound."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import wraps
from typing import Any, ParamSpec, TypeVar, final

import numpy as np
from numpy.typing import NDArray

from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from proofs_check.refute.claim import PROBE, Claim
from proofs_check.refute.formula import StatedTheorem
from proofs_check.refute.instance import Instance
from proofs_check.refute.limited import LENGTHENED, longer
from proofs_check.refute.rounding import root_lost, without_rounding
from theory.arrays import Floats
from theory.constants import Constants, MissingConstants
from theory.ranges import ROUNDING as SLACK
from theory.stepsizes import ConstantStep, InverseRootStep, InverseTimeStep, Stepsize
from theory.theorem import Theorem

P = ParamSpec("P")
R = TypeVar("R")

_DOUBLINGS, _HALVINGS = 60, 50
ROUNDING = 1e-9
"""A bound below this share of the metric's largest value is taken for that share."""

SURE = 1e-7
"""How far above 1 a ratio must lie to count."""

BY_RUN = ("G2", "diameter")
"""Constants of which proofs use no more than what is true along the run: the run says them."""

PLACEHOLDER = 1.0
"""What those are taken for until the run says what they are."""


class Unfit(Exception):
    """An instance outside the claim's assumptions, or outside what an attacker can measure."""


def remembered(asked: Callable[P, R]) -> Callable[P, R]:
    """The function with what it found for each of its arguments kept, refusals too, which
    ``functools.cache`` would compute again."""
    kept: dict[Any, R | Unfit] = {}

    @wraps(asked)
    def known_or_asked(*given: P.args, **named: P.kwargs) -> R:
        key = (given, tuple(named.items()))
        if key not in kept:
            try:
                kept[key] = asked(*given, **named)
            except Unfit as error:
                kept[key] = error
        found = kept[key]
        if isinstance(found, Unfit):
            raise Unfit(*found.args)
        return found

    return known_or_asked


@final
@dataclass(frozen=True)
class BoundTrial:
    """One instance: the largest ratio of what was measured and the bound, and where.

    Attributes:
        attacker: who tried.
        instance: its numbers.
        t: after how many steps the ratio is largest.
        measured: the metric there.
        bound: the bound there.
        ratio: of the two; infinite where the metric overflows.
        stepsize: the rule, in words.
        constants: what the theorem was told.
        error: chance that what was measured is above the truth; 0: it is exact.
    """

    attacker: str
    instance: Instance
    t: int
    measured: float
    bound: float
    ratio: float
    stepsize: str
    constants: dict[str, float] = field(default_factory=dict)
    error: float = 0.0

    def record(self) -> dict[str, Any]:
        """The same as plain data."""
        return {
            "attacker": self.attacker, "t": self.t, "measured": self.measured, "bound": self.bound,
            "ratio": self.ratio, "stepsize": self.stepsize, "constants": self.constants,
            "instance": self.instance.numbers(), "error": self.error,
        }  # fmt: skip


def known(claim: Claim, method: Method[Any], problem: Problem) -> Constants:
    """Constants given to the theorem before a run: those of the run have a placeholder.

    Raises:
        Unfit: something is missing, or an assumption on constants fails.
    """
    try:
        c = claim.constants(method, problem)
    except (ValueError, TypeError, AssertionError, ArithmeticError) as error:
        raise Unfit(str(error) or "what is stated is of another problem") from error
    unknown = [name for name in BY_RUN if name in claim.theorem.needs and name in c.missing([name])]
    c = c.state(None, **dict.fromkeys(unknown, PLACEHOLDER))
    missing = c.missing(claim.theorem.needs)
    if missing:
        raise Unfit(f"it states no {', '.join(missing)}")
    return c


def largest_step(claim: Claim, c: Constants, steps: int) -> Stepsize:
    """The largest stepsizes that the theorem allows for ``steps`` steps, of the rule's kind; the
    rule that it prescribes where it allows every stepsize, and where it limits none of its kind.

    Raises:
        Unfit: it prescribes none.
    """
    theorem = claim.theorem
    try:
        step = theorem.stepsize(c, steps)
        broken = theorem.violations(c, step, steps)
    except (MissingConstants, ValueError, ArithmeticError) as error:
        raise Unfit(str(error)) from error
    if broken:
        raise Unfit("; ".join(broken))
    by_horizon = isinstance(theorem, StatedTheorem) and theorem.by_horizon(c)
    if not isinstance(step, LENGTHENED) or theorem.any_scale or by_horizon:
        return step
    low = 1.0
    for _ in range(_DOUBLINGS):
        if theorem.violations(c, longer(step, 2 * low), steps):
            break
        low *= 2
    else:
        return step
    high = 2 * low
    for _ in range(_HALVINGS):
        middle = (low + high) / 2
        if theorem.violations(c, longer(step, middle), steps):
            high = middle
        else:
            low = middle
    below = longer(step, low / (1 + 2 * SLACK))  # theorems forgive their limit's own rounding
    return step if theorem.violations(c, below, steps) else below


def with_share(claim: Claim, c: Constants, share: float, steps: int) -> float | None:
    """A share of the largest constant stepsize, or of the largest first stepsize of a rule that
    falls as 1/t (:func:`first_share`); any size where all are allowed. None where the rule is of
    another kind, or is itself meant.

    Raises:
        Unfit: no stepsize is prescribed, or the smaller one is not allowed.
    """
    step = largest_step(claim, c, steps)
    if isinstance(step, InverseTimeStep):
        return first_share(claim, c, step, share, steps)
    if isinstance(step, InverseRootStep) and claim.theorem.any_scale:
        return _any_scale(step.scale, share)
    if not isinstance(step, ConstantStep):
        return None
    if isinstance(claim.theorem, StatedTheorem) and claim.theorem.limit is None:
        return step.gamma  # it prescribes that one alone
    gamma = _any_scale(step.gamma, share) if claim.theorem.any_scale else share * step.gamma
    if claim.theorem.violations(c, ConstantStep(gamma), steps):
        gamma = step.gamma  # one stepsize alone is allowed
    return gamma


def _any_scale(prescribed: float, share: float) -> float:
    """A hundredth to hundred times what is prescribed, for shares from a hundredth to 1."""
    return float(prescribed * 10 ** (2 * math.log10(share) + 2))


def first_share(
    claim: Claim, c: Constants, step: InverseTimeStep, share: float, steps: int
) -> float | None:
    """The first stepsize of a rule scale/(shift + t) with a larger shift: the square of a share of
    the largest one, since terms of a bound change places as far below it as the condition of f is.
    None for the whole, and where no larger shift is allowed."""
    gamma = step(0) * share**2
    if share == 1 or claim.theorem.violations(c, _starting(step, gamma), steps):
        return None
    return gamma


def _from(theorem: Theorem, c: Constants, gamma: float, steps: int) -> Stepsize:
    """The rule of a theorem's kind that starts at ``gamma``."""
    try:
        step = theorem.stepsize(c, steps)
    except (MissingConstants, ValueError, ArithmeticError):
        return ConstantStep(gamma)
    if isinstance(step, InverseRootStep):
        return InverseRootStep(gamma)
    return _starting(step, gamma) if isinstance(step, InverseTimeStep) else ConstantStep(gamma)


def _starting(step: InverseTimeStep, gamma: float) -> InverseTimeStep:
    """The rule of the same scale that starts at ``gamma``."""
    return InverseTimeStep(step.scale, step.scale / gamma)


def lengthened(claim: Claim, c: Constants, gamma: float | None, steps: int, most: int) -> int:
    """Number of steps that go as far with a rule that falls as 1/t from ``gamma`` as ``steps`` do
    with the longest one, up to ``most``; ``steps`` for other rules."""
    if gamma is None or claim.horizon:
        return steps
    step = largest_step(claim, c, steps)
    if not isinstance(step, InverseTimeStep):
        return steps
    return max(steps, min(most, round(steps * step(0) / gamma)))


def rule(claim: Claim, c: Constants, gamma: float | None, steps: int) -> Stepsize:
    """The stepsize rule of an instance: ``gamma`` is the constant stepsize, or the first of a rule
    that falls as 1/t or 1/sqrt(t); None: the largest.

    Raises:
        Unfit: the theorem does not allow it.
    """
    if gamma is not None and not gamma > 0:
        raise Unfit("gamma must be positive")
    if claim.horizon and steps != claim.horizon:
        raise Unfit(f"its warm-up is the theorem's in runs of {claim.horizon} steps alone")
    theorem = claim.theorem
    step = largest_step(claim, c, steps) if gamma is None else _from(theorem, c, gamma, steps)
    broken = theorem.violations(c, step, steps)
    if not broken and isinstance(theorem, StatedTheorem) and theorem.by_horizon(c):
        most = theorem.stepsize(c, steps)(0)
        low = most if theorem.limit is None else 0.0
        if not low * (1 - 1e-9) <= step(0) <= most * (1 + 1e-9):
            broken = (f"gamma must be at most {most:.6g} for {steps} steps",)
    if broken:
        raise Unfit("; ".join(broken))
    return step


def method_of(claim: Claim, step: Stepsize | None, problem: Problem, steps: int) -> Method[Any]:
    """The claim's method for a run.

    Raises:
        Unfit: it cannot be made for this problem.
    """
    try:
        return claim.make(PROBE if step is None else step, problem, steps)
    except (ValueError, TypeError, ArithmeticError, AssertionError) as error:
        raise Unfit(str(error)) from error


def compared(
    claim: Claim,
    c: Constants,
    step: Stepsize,
    times: NDArray[np.int64],
    metric: Floats,
    *,
    attacker: str,
    instance: Instance,
    problem: Problem | None = None,
) -> BoundTrial:
    """The largest ratio of a metric and the bound after ``times``, the start's first.

    A bound below what rounding leaves of the largest value is taken for that, and what rounding
    may have added on the ``problem`` is taken off the metric.

    Raises:
        Unfit: the bound has no number there.
    """
    try:
        bound = claim.theorem.bound(c, step, times.astype(np.float64))
    except (MissingConstants, ValueError, ArithmeticError) as error:
        raise Unfit(str(error)) from error
    if isinstance(claim.theorem, StatedTheorem) and claim.theorem.by_horizon(c):
        times, metric, bound = times[-1:], metric[-1:], bound[-1:]
    scale = float(np.max(np.where(np.isfinite(metric), np.abs(metric), 0.0), initial=0.0))
    usable = (times > 0) & (times >= claim.after) & np.isfinite(bound)
    if not usable.any():
        raise Unfit("the bound is nowhere finite")
    least = np.maximum(bound, ROUNDING * scale + np.finfo(float).tiny)
    lost = 0.0
    if problem is not None:
        lost = root_lost(claim.theorem.metric, problem, step, int(times[-1]))
    certain = np.where(np.isfinite(metric), without_rounding(metric, times, lost), np.inf)
    over = certain / np.where(usable, least, 1.0)
    ratio = np.where(usable, over, 0.0)
    k = int(ratio.argmax())
    description = {
        name: float(getattr(c, name))
        for name in ("n", *claim.theorem.needs)
        if getattr(c, name) is not None
    }
    return BoundTrial(
        attacker, instance, int(times[k]), float(metric[k]), float(bound[k]), float(ratio[k]),
        str(step), description,
    )  # fmt: skip
