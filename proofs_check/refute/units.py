"""Instances in other units of x and f, in which a bound of the metric's dimension says the same.

A bound with a wrong exponent of a constant that has a dimension does not: in some units its wrong
term is as small as one likes, and what it is to cover is as large as before.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from proofs_check.refute.instance import Instance
from proofs_check.refute.measured import SURE, BoundTrial, Unfit

DIRECTIONS = ((1e3, 1.0), (1e-3, 1.0), (1.0, 1e3), (1.0, 1e-3))
"""Sizes of units of x and f that are looked at."""

_FARTHEST = 1e13
_ALIKE = 2  # trials that are alike in all units, after which none is looked at


def in_other_units(
    trials: Sequence[BoundTrial], measure: Callable[[Instance], BoundTrial]
) -> Iterator[BoundTrial]:
    """Trials in other units, farther where the ratio of metric and bound grows.

    It ends after two trials whose ratio is the same in all units: the bound has the dimension of
    the metric, and no others can tell more.
    """
    alike = 0
    for trial in trials:
        same = True
        for direction in DIRECTIONS:
            for found in _followed(trial, direction, measure):
                same &= abs(found.ratio - trial.ratio) <= SURE * trial.ratio
                yield found
        alike += same
        if alike == _ALIKE:
            return


def by_causes(trials: Sequence[BoundTrial]) -> list[BoundTrial]:
    """The trials, those with the fewest numbers that are 0 first: more terms of a bound are seen
    in them."""
    return sorted(trials, key=lambda one: _zeros(one.instance))


def _zeros(instance: Instance) -> int:
    return sum(value == 0 for value in instance.numbers().values())


def _followed(
    trial: BoundTrial, direction: tuple[float, float], measure: Callable[[Instance], BoundTrial]
) -> Iterator[BoundTrial]:
    """The trial in other units, the square of their size as long as the ratio grows."""
    (x, f), before = direction, trial.ratio
    while 1 / _FARTHEST < x * f < _FARTHEST:
        other = trial.instance.in_units(x, f)
        if other is None:
            return
        try:
            found = measure(other)
        except Unfit:
            return
        yield found
        if not found.ratio > before * (1 + SURE):
            return
        x, f, before = x * x, f * f, found.ratio
