"""Instances: few numbers that are searched, shrunk and printed."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from fractions import Fraction
from typing import Any, Self, final

import numpy as np
import torch
from torch import Tensor

from algorithms.problems.quadratic import Quadratic
from theory.arrays import Floats

_NO_FRACTION = 10**9
DENOMINATORS = (1, 2, 4, 8, 10, 16, 100)


class Instance(ABC):
    """Numbers of a setting. Members are frozen dataclasses of numbers and tuples of numbers.

    ``gamma`` is the constant stepsize, or None where the theorem's rule is taken.
    """

    gamma: float | None

    @abstractmethod
    def simpler(self) -> Iterator[Self]:
        """Instances that are said in fewer or simpler numbers, the simplest first."""

    def in_units(self, x: float, f: float) -> Self | None:
        """The same with the numbers of x and f so many times as large: a bound of the metric's
        dimension has the same ratio there. None where it is no matter of units."""
        return None

    def numbers(self) -> dict[str, Any]:
        """Its numbers by name, fractions as text where they are few digits."""
        return {f.name: _described(getattr(self, f.name)) for f in fields(self)}  # type: ignore[arg-type]

    def rounded(self) -> Iterator[Self]:
        """The same with one number replaced by a simpler one."""
        for name in (f.name for f in fields(self)):  # type: ignore[arg-type]
            given = getattr(self, name)
            if isinstance(given, float):
                for value in simpler_numbers(given):
                    yield replace(self, **{name: value})  # type: ignore[type-var]
            elif isinstance(given, tuple):
                for k, one in enumerate(given):
                    for value in simpler_numbers(one):
                        yield replace(self, **{name: (*given[:k], value, *given[k + 1 :])})  # type: ignore[type-var]


def _described(given: Any) -> Any:
    if isinstance(given, tuple):
        return [_described(one) for one in given]
    if not isinstance(given, float) or not math.isfinite(given):
        return given
    fraction = Fraction(given).limit_denominator(1000)
    return str(fraction) if float(fraction) == given else given


def simplicity(given: float) -> int:
    """Numerator and denominator of a number, added: less is simpler."""
    fraction = Fraction(given).limit_denominator(10**6)
    if float(fraction) != given:
        return _NO_FRACTION
    return abs(fraction.numerator) + fraction.denominator


def simpler_numbers(given: float) -> Iterator[float]:
    """Numbers near ``given`` that are said more simply, the simplest first."""
    if given == 0:
        return
    candidates = {float(Fraction(given).limit_denominator(q)) for q in DENOMINATORS}
    power = 2.0 ** round(math.log2(abs(given)))
    candidates |= {0.0, math.copysign(1.0, given), math.copysign(power, given)}
    before = simplicity(given)
    for value in sorted(candidates, key=simplicity):
        if value != given and simplicity(value) < before:
            yield value


@final
@dataclass(frozen=True)
class QuadraticInstance(Instance):
    r"""f_i(x) = \sum_j a_ij (x_j - b_j)^2/2 - zeta p_i z_j x_j, from 0, noise of variance sigma^2
    in each coordinate; a_ij = a_j (1 + apart p_i), p_i evenly from -1 to 1.

    Attributes:
        n: workers.
        curvatures: a_j ``[d]``.
        target: b_j ``[d]``, of the second and later coordinates.
        zeta: how far gradients lie apart.
        sigma: deviation of the noise in a coordinate.
        apart: how far the workers' Hessians lie apart.
        gamma: the stepsize; None: by the theorem's rule.
        steps: length of the run.
        parts: numbers that the method's parts are changed by.
        only: the one coordinate in which z_j is 1; None: in all of them.
    """

    n: int
    curvatures: tuple[float, ...]
    target: tuple[float, ...]
    zeta: float
    sigma: float
    apart: float
    gamma: float | None
    steps: int
    parts: tuple[float, ...] = ()
    only: int | None = None

    @property
    def d(self) -> int:
        """Number of coordinates."""
        return len(self.curvatures)

    @property
    def pattern(self) -> tuple[float, ...]:
        """p_i, evenly from -1 to 1."""
        return tuple(2 * i / (self.n - 1) - 1 if self.n > 1 else 0.0 for i in range(self.n))

    def problem(self) -> Quadratic:
        """The quadratic.

        Raises:
            ValueError: a curvature that is not positive.
        """
        if min(self.curvatures) <= 0 or self.sigma < 0 or not 0 <= self.apart < 1:
            raise ValueError("curvatures must be positive, sigma at least 0, apart in [0, 1)")
        p = torch.tensor(self.pattern, dtype=torch.float64)[:, None]
        a = torch.tensor(self.curvatures, dtype=torch.float64) * (1 + self.apart * p)
        target = torch.tensor(self.target, dtype=torch.float64)
        spread = self.zeta * p * self._where(target)
        b = target + spread / a
        if self.apart == 0:  # one Hessian: heterogeneity has a uniform constant
            a = a[:1]
        c = a * target + spread
        centre = c.mean(0) / a.mean(0)
        f_star = float(0.5 * (a * (centre - b).square()).sum(-1).mean())
        return Quadratic(
            "quadratic", a, c, centre, torch.zeros_like(target),
            self.d * self.sigma**2, f_star=f_star,
        )  # fmt: skip

    def _where(self, like: Tensor) -> Tensor:
        """z_j ``[d]``."""
        if self.only is None:
            return torch.ones_like(like)
        found = torch.zeros_like(like)
        found[self.only] = 1.0
        return found

    def simpler(self) -> Iterator[QuadraticInstance]:
        if self.d > 1:
            for k in range(self.d):
                yield self._without(k)
        if self.only is not None:
            yield replace(self, only=None)
        for n in range(1, self.n):
            yield replace(self, n=n)
        yield from self._in_units()
        yield from self.rounded()

    def _without(self, k: int) -> QuadraticInstance:
        """The same without coordinate k, and without heterogeneity where that was its place."""
        only, zeta = self.only, self.zeta
        if only is not None:
            only, zeta = (None, 0.0) if only == k else (only - (only > k), zeta)
        return replace(
            self, curvatures=_less(self.curvatures, k), target=_less(self.target, k), zeta=zeta,
            only=None if self.d == 2 else only,
        )  # fmt: skip

    def in_units(self, x: float, f: float) -> QuadraticInstance:
        slope, curvature = f / x, f / x**2
        return replace(
            self, zeta=slope * self.zeta, sigma=slope * self.sigma, target=_times(self.target, x),
            curvatures=_times(self.curvatures, curvature),
            gamma=None if self.gamma is None else self.gamma / curvature,
        )  # fmt: skip

    def _in_units(self) -> Iterator[QuadraticInstance]:
        """The same with x or f measured in another unit, so that one of its numbers is 1; or with
        the stepsize that jumps to the minimum."""
        if self.curvatures[0] != 1:
            L = self.curvatures[0]
            yield replace(
                self, curvatures=_times(self.curvatures, 1 / L), zeta=self.zeta / L,
                sigma=self.sigma / L, gamma=None if self.gamma is None else self.gamma * L,
            )  # fmt: skip
        elif self.gamma not in (None, 1.0):
            yield replace(self, gamma=1.0)
        for unit in (self.sigma, self.zeta, *self.target):
            if unit not in (0.0, 1.0) and 1.0 not in (self.sigma, self.zeta, *self.target):
                yield replace(
                    self, sigma=self.sigma / unit, zeta=self.zeta / unit,
                    target=_times(self.target, 1 / unit),
                )  # fmt: skip


def _times(given: tuple[float, ...], factor: float) -> tuple[float, ...]:
    return tuple(factor * one for one in given)


def _less(given: tuple[float, ...], k: int) -> tuple[float, ...]:
    return (*given[:k], *given[k + 1 :])


COORDINATES = 12
"""How many numbers of [0, 1] a quadratic is made of."""


def quadratic_at(
    u: Floats,
    sizes: tuple[tuple[int, int], ...],
    parts: int,
    steps: int,
    similar: bool,
    one_hessian: bool,
    quiet: bool,
) -> QuadraticInstance:
    """The quadratic at a point of the unit cube; ``gamma`` is the share of the largest stepsize.

    ``similar``: workers have one objective; ``one_hessian``: they differ in their minima
    alone; ``quiet``: gradients are exact.
    """
    u = np.asarray(u).tolist()
    n, d = sizes[min(int(u[0] * len(sizes)), len(sizes) - 1)]
    largest = 10 ** (2 * u[1] - 1)
    smallest = largest * 10 ** (-3 * u[2])
    far = 10 ** (4 * u[3] - 2)
    first = largest if u[4] < 0.5 or d > 1 else smallest
    curvatures = (first, *(smallest,) * (d - 1))
    lean = u[5] * math.pi / 2
    target = (far * math.cos(lean), far * math.sin(lean), *(0.0,) * (d - 2))[:d]
    return QuadraticInstance(
        n, curvatures, target if d > 1 else (far,),
        zeta=0.0 if similar or n == 1 else _amount(u[6]),
        sigma=0.0 if quiet else _amount(u[7]),
        apart=0.0 if similar or one_hessian or n == 1 else max(0.0, 2 * u[8] - 1) * 0.99,
        gamma=share(u[9]), steps=max(1, round(steps ** (0.3 + 0.7 * u[10]))),
        parts=tuple(u[COORDINATES : COORDINATES + parts]), only=_coordinate(u[11], d),
    )  # fmt: skip


def _coordinate(u: float, d: int) -> int | None:
    """None for half of the cube and in one dimension, else one of d."""
    if d == 1 or 0.25 <= u < 0.75:
        return None
    return min(int((u if u < 0.25 else u - 0.5) * 2 * d), d - 1)


def share(u: float) -> float:
    """A share of the largest stepsize, that itself for a third of the cube."""
    return 1.0 if u > 2 / 3 else 10 ** (3 * u - 2)


def _amount(u: float) -> float:
    """None for a quarter of the cube, else 10^-3 to 10^3."""
    return 0.0 if u < 0.25 else 10 ** (8 * u - 5)
