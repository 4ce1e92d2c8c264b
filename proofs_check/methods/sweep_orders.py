"""Statement of theory on a sweep: an order in its variable, and whether it may be held to it.

An order is the leading term of a bound. Over the points of a sweep that term need not rule, and
what an order has fixed may move (curvatures of workers that join). The theorem's own bound at the
points tells: where its exponent there is not the order's, the order is not refuted, and where
constants moved it is compared only.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import fields
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from algorithms.catalogue import Row
from theory.arrays import Floats
from theory.constants import Constants
from theory.theorem import OrderOnly, Theorem

_LEADS = 0.02  # of an exponent: the bound's over the points is the order's
_READ = 0.03  # of an exponent that is read off a bound at a long horizon, logarithms in it
_LONG, _MORE = 10**16, 4.0  # steps; factor of the noise
_MOVED = 0.01  # relative: a constant that is not the same at all points
_STILL = 1e-9  # relative: a bound that is the same at all points
_MEMORY = "its constants are known from memory, so nothing is held to it"
_ORDER_ONLY = "stated to order only, without constants: compared"
_NOT_TUNED = "stated of stepsizes of its own, which are not those of all these runs: compared"


class StatedOrder(NamedTuple):
    """An order in one variable.

    Attributes:
        power: the exponent.
        name: the result that states it.
        asserted: whether a sweep is held to it, or only compared.
        tight: whether it is attained.
        why: why it is not held to, or the points do not show it: then it is never refuted.
    """

    power: float
    name: str
    asserted: bool
    tight: bool
    why: str = ""


def bound_exponent(x: Floats, bounds: Floats) -> float:
    """Exponent of ``bounds`` ``[K]`` over the points x ``[K]``, by least squares of logarithms."""
    return float(np.polyfit(np.log(x), np.log(bounds), 1)[0])


def stated_order(
    row: Row, variable: str, x: Floats, theorem: Theorem | None, bounds: Floats | None,
    settings: Sequence[Constants], vacuous: int,
) -> StatedOrder | None:  # fmt: skip
    """The order in ``variable`` of the ``theorem`` that tuned all points x ``[K]``, with its
    ``bounds`` ``[K]`` there; else of another result of the row, which is compared only.

    ``settings`` are the constants at the points, ``vacuous`` at how many the theorem says nothing.
    """
    if theorem is not None:
        middle = settings[len(settings) // 2] if settings else theorem.example
        power = power_of(theorem, variable, middle)
        if power is not None:
            asserted = theorem.confidence.assertable and not vacuous
            exact = theorem.tight and _with_workers(theorem, variable, power)
            own = power if bounds is None else bound_exponent(x, bounds)
            if abs(own - power) <= _LEADS:
                sure = theorem.confidence.assertable
                return StatedOrder(power, theorem.name, asserted, exact, "" if sure else _MEMORY)
            moved = _moved(variable, settings, theorem)
            why = _short_of(own, variable, moved)
            return StatedOrder(power, theorem.name, asserted and not moved, exact, why)
    for result in (*row.theorems, *row.results):
        order = result.order if isinstance(result, OrderOnly) else None
        found = (
            power_of(result, variable, result.example)
            if isinstance(result, Theorem)
            else None
            if order is None
            else order.exponents.get(variable)
        )
        if found is not None:
            why = _ORDER_ONLY if isinstance(result, OrderOnly) else _NOT_TUNED
            return StatedOrder(float(found), result.name, False, False, why)
    return None if theorem is None else _of_bound(theorem, variable, x, bounds)


def _of_bound(
    theorem: Theorem, variable: str, x: Floats, bounds: Floats | None
) -> StatedOrder | None:
    """The exponent that the bound itself has over the points, where no order is stated: to compare
    with, since a bound that holds at every point says nothing of how errors below it grow."""
    if bounds is None or not (np.isfinite(bounds) & (bounds > 0)).all():
        return None
    own = float(f"{bound_exponent(x, bounds):.4g}")
    still = np.ptp(bounds) <= _STILL * bounds.max()
    why = f"no order in {variable} is stated: set beside the exponent that the bound itself has "
    why += f"over these points{', on which it does not depend' if still else ''}"
    return StatedOrder(0.0 if still else own, theorem.name, False, False, why)


def power_of(theorem: Theorem, variable: str, c: Constants) -> float | None:
    """The theorem's exponent of ``variable``: as it states it; of the batch, by which it means
    sigma2 / batch, as its bound has it for constants c at a long horizon. None where it has none,
    or where noise enters with something that batches do not lessen."""
    if variable in theorem.order.exponents:
        return float(theorem.order.exponents[variable])
    if variable != "batch" or "sigma2" not in theorem.needs or not c.sigma2:
        return None
    ends = [
        float(theorem.bound(one, theorem.stepsize(one, _LONG), np.array([float(_LONG)]))[0])
        for one in (c, c.state(sigma2=_MORE * c.sigma2))
    ]
    if not all(0 < end < math.inf for end in ends):
        return None
    power = -math.log(ends[1] / ends[0]) / math.log(_MORE)
    near = float(Fraction(round(2 * power), 2))
    return near if near and abs(power - near) <= _READ else None


def _with_workers(theorem: Theorem, variable: str, power: float) -> bool:
    """Whether what is said of n speaks of the batch too: noise enters as sigma2 / (n batch)."""
    return variable != "batch" or theorem.order.exponents.get("n") == power


def _short_of(own: float, variable: str, moved: Sequence[str]) -> str:
    """Reason the points miss the order, in words: the bound has the exponent ``own`` there."""
    if moved:
        return (
            f"{', '.join(moved)} move with {variable}: the bound itself has the exponent {own:.3g}"
        )
    return (
        f"the bound itself has the exponent {own:.3g} over these points: its leading term does not "
        "rule yet, at a larger T it would"
    )


def _moved(variable: str, settings: Sequence[Constants], theorem: Theorem) -> list[str]:
    """Constants of the theorem that differ between points, but for what the variable means."""
    meant = {variable} | ({"sigma2"} if variable == "batch" else set())
    found = []
    for name in (field.name for field in fields(Constants) if field.name in theorem.needs):
        values = [getattr(c, name) for c in settings]
        numbers = [float(v) for v in values if isinstance(v, (int, float))]
        if name not in meant and numbers and max(numbers) > min(numbers) * (1 + _MOVED):
            found.append(name)
    return found
