"""Theorems with a wrong constant: what a comparison of curve and bound must refute."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import Stepsize
from theory.theorem import Theorem

_KEPT = (
    "name", "title", "source", "confidence", "needs", "metric", "order", "tight", "statement",
    "changing_network", "any_scale",
)  # fmt: skip


@dataclass(frozen=True)
class AlteredTheorem(Theorem):
    """What ``theorem`` says; members say something else in its place.

    Attributes:
        theorem: the right one.
    """

    theorem: Theorem

    def __post_init__(self) -> None:
        for attribute in _KEPT:
            object.__setattr__(self, attribute, getattr(self.theorem, attribute))

    def violations(self, c: Constants, step: Stepsize, horizon: int) -> tuple[str, ...]:
        return self.theorem.violations(c, step, horizon)

    def stepsize(self, c: Constants, horizon: int) -> Stepsize:
        return self.theorem.stepsize(c, horizon)

    def bound(self, c: Constants, step: Stepsize, times: Floats) -> Floats:
        return self.theorem.bound(c, step, times)

    def weight(self, c: Constants, step: Stepsize, t: int) -> float:
        return self.theorem.weight(c, step, t)


@final
@dataclass(frozen=True)
class MisreadBound(AlteredTheorem):
    """``theorem`` whose bound reads ``misread(c)`` for c; assumptions and stepsize stand."""

    misread: Callable[[Constants], Constants]

    def bound(self, c: Constants, step: Stepsize, times: Floats) -> Floats:
        return self.theorem.bound(self.misread(c), step, times)


def quarter_noise(c: Constants) -> Constants:
    """The bound is given a quarter of the noise, sigma2 / 4."""
    return c.state(sigma2=c.need("sigma2") / 4)


def workers_squared(c: Constants) -> Constants:
    """The bound is given n^2 workers where n belongs."""
    return c.state(n=int(c.need("n")) ** 2)
