"""Asymptotic exponents of bounds, read off the code of theorems far out.

A theorem's own bound at its own stepsize is evaluated after e^150 to e^200 steps, where terms of
lower order are gone. Its local slope in log T is a + b/log T + ..., a the exponent and b the power
of log T; Neville's scheme in 1/log T takes the limit. Other variables go to their limits one by one
(n, H, omega ... to infinity, gap and delta to 0), horizons first: slopes at four horizons are taken
to the limit in the same way, and then Aitken's process in the variable.
Constants that a premise ties to the variable move along (alpha = 1/(1 + omega)).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np

from theory.constants import Constants, Inapplicable
from theory.theorem import Theorem

TOLERANCE = 1e-3
_LOGS = (150.0, 165.0, 182.0, 200.0)
_FAR = (14, 17, 20)
_SHRINKS = ("gap", "delta", "delta_up", "delta_down")
_LONG = 2**22


@final
@dataclass(frozen=True)
class BoundExponent:
    """The power of a variable that a bound has far out, and that of its logarithm.

    ``linear``: it falls as q^T, faster than every power.
    """

    power: float
    logarithm: float = 0.0
    linear: bool = False


@final
@dataclass(frozen=True)
class UnreadExponent:
    """An exponent that cannot be read off a theorem; ``why`` names what stands in the way."""

    why: str


@cache
def read(theorem: Theorem, variable: str) -> BoundExponent | UnreadExponent:
    """The exponent of the theorem's bound in T or in one of its constants, all others fixed."""
    if variable != "T":
        return _of_constant(theorem, variable)
    slopes = [_slope_in_time(theorem, theorem.example, log) for log in _LOGS]
    if any(math.isnan(slope) for slope in slopes):
        return _linear(theorem)
    power = _limit(slopes)
    return BoundExponent(power, (slopes[-1] - power) * _LOGS[-1])


def constants_at(theorem: Theorem, variable: str, value: float) -> Constants:
    """The theorem's example with the variable at ``value``, and what is tied to it."""
    c = theorem.example
    if variable == "gap":
        return c.state(None, lam=1 - value)
    if variable == "omega" and c.alpha is not None:
        c = c.state(None, alpha=1 / (1 + value))
    if variable == "collected":  # a server keeps a model for as many arrivals at least
        c = c.state(None, held=2**32)
    whole = isinstance(getattr(c, variable), int)
    return c.state(None, **{variable: int(value) if whole else value})


def _log_bound(theorem: Theorem, c: Constants, log: float) -> float:
    """log of the bound after e^log steps, at the stepsize prescribed for them."""
    horizon = round(math.exp(log))
    bound = theorem.bound(c, theorem.stepsize(c, horizon), np.array([float(horizon)]))
    value = float(bound[0])
    return math.log(value) if value > 0 else math.nan


def _slope_in_time(theorem: Theorem, c: Constants, log: float) -> float:
    step = 0.25
    ends = (_log_bound(theorem, c, log + side * step) for side in (-1, 1))
    low, high = ends
    return (high - low) / (2 * step)


def _of_constant(theorem: Theorem, variable: str) -> BoundExponent | UnreadExponent:
    if math.isnan(_slope_in_time(theorem, theorem.example, _LOGS[0])):
        return UnreadExponent("the bound is linear: no power of a constant is in front of q^T")
    slopes = []
    for far in _FAR:
        size = 2.0**-far if variable in _SHRINKS else 2.0**far
        odd = 1.0 if variable == "n" else 0.0  # a vote asks for an odd number of workers
        ends = [constants_at(theorem, variable, size * by + odd) for by in (1.0, 2.0)]
        broken = [why for c in ends for why in _refused(theorem, c)]
        if broken:
            return UnreadExponent(broken[0])
        at = [[_log_bound(theorem, c, log) for log in _LOGS] for c in ends]
        slopes.append(_limit([(b - a) / math.log(2) for a, b in zip(*at, strict=True)]))
    return BoundExponent(_accelerated(slopes))


def _refused(theorem: Theorem, c: Constants) -> tuple[str, ...]:
    try:
        return theorem.violations(c, theorem.stepsize(c, _LONG), _LONG)
    except Inapplicable as error:
        return (str(error),)


def _limit(values: Sequence[float]) -> float:
    """Neville's extrapolation of values at the horizons to 1/log T = 0."""
    x, row = [1 / log for log in _LOGS], list(values)
    for k in range(1, len(row)):
        row = [
            (x[i] * row[i + 1] - x[i + k] * row[i]) / (x[i] - x[i + k]) for i in range(len(row) - 1)
        ]
    return row[0]


def _accelerated(s: Sequence[float]) -> float:
    """Aitken's process on three slopes; the last where they differ by rounding alone."""
    first, second = s[1] - s[0], s[2] - s[1]
    if abs(second) < 1e-9 or abs(first - second) < 1e-9:
        return s[2]
    return s[2] + second**2 / (first - second)


def _linear(theorem: Theorem) -> BoundExponent | UnreadExponent:
    """Whether -log of the bound grows as T: by as much in the last two quarters of its fall."""
    c, steps, fell = theorem.example, 4, []
    while steps <= _LONG:
        at = [_plain_log(theorem, c, steps * k // 4) for k in (2, 3, 4)]
        if math.isnan(at[-1]) or at[-1] < -600:
            break
        fell, steps = at, 2 * steps
    if not fell:
        return UnreadExponent("its bound is gone after four steps")
    earlier, later = fell[0] - fell[1], fell[1] - fell[2]
    same = earlier > 0 and math.isclose(earlier, later, rel_tol=TOLERANCE)
    return (
        BoundExponent(-math.inf, linear=True)
        if same
        else UnreadExponent("its bound is no power, nor linear")
    )


def _plain_log(theorem: Theorem, c: Constants, steps: int) -> float:
    bound = theorem.bound(c, theorem.stepsize(c, steps), np.array([float(steps)]))
    return math.log(bound[0]) if bound[0] > 0 else math.nan
