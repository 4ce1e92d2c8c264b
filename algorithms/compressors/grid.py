"""Rounding to a grid at random: unbiasedness, variance and exact law from the grid alone."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

from torch import Tensor

from algorithms.compressors.base import Compressor


class IrrationalScale(ValueError):
    """The grid of this vector is not rational, so its law cannot be written in fractions."""


@final
@dataclass(frozen=True)
class GridStep:
    """Law of one coordinate: ``outer`` with probability ``up``, else ``inner`` (nearer to zero)."""

    inner: Fraction
    outer: Fraction
    up: Fraction


class GridCompressor(Compressor):
    r"""Each coordinate goes to a neighbour on a grid, independently and without bias.

    With neighbours $\ell \le x \le h$ the law is $P(h) = (x - \ell) / (h - \ell)$; so
    $E\,C(x) = x$ and $E\|C(x) - x\|^2 = \sum_j (h_j - x_j)(x_j - \ell_j)$. Members give the grid.
    """

    @abstractmethod
    def cells(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """Neighbours (nearer to zero, farther) of rows ``[..., m, d]`` on their grid."""

    @abstractmethod
    def exact_cells(self, x: Sequence[Fraction]) -> tuple[tuple[Fraction, Fraction], ...]:
        """The neighbours of one vector in exact arithmetic.

        Raises:
            IrrationalScale: the grid of x is not rational.
        """

    def variance(self, x: Tensor) -> Tensor:
        """E||C(x) - x||^2 ``[..., m]`` of rows ``[..., m, d]``, in closed form."""
        inner, outer = self.cells(x)
        return ((outer - x) * (x - inner)).sum(-1)

    def law(self, x: Sequence[Fraction]) -> tuple[GridStep, ...]:
        """The exact law of every coordinate of one vector.

        Raises:
            IrrationalScale: the grid of x is not rational.
        """
        cells = self.exact_cells(x)
        return tuple(_step(t, *cell) for t, cell in zip(x, cells, strict=True))


def rational_root(square: Fraction, of: str) -> Fraction:
    """The square root of ``square``, which messages call ``of``, in exact arithmetic.

    Raises:
        IrrationalScale: the root is not rational.
    """
    root = Fraction(math.isqrt(square.numerator), math.isqrt(square.denominator))
    if root * root != square:
        raise IrrationalScale(f"{of} = {square} has no rational root")
    return root


def exact_norm(x: Sequence[Fraction], p: float) -> Fraction:
    """The p-norm of one vector in exact arithmetic, p = 1, 2 or infinity.

    Raises:
        IrrationalScale: p = 2 and the norm is not rational.
        ValueError: another p.
    """
    if p == 1:
        return sum((abs(t) for t in x), Fraction(0))
    if p == 2:
        return rational_root(sum((t * t for t in x), Fraction(0)), "||x||^2")
    if p == math.inf:
        return max(abs(t) for t in x)
    raise ValueError(f"p must be 1, 2 or inf, got p={p}")


def _step(t: Fraction, inner: Fraction, outer: Fraction) -> GridStep:
    up = Fraction(0) if inner == outer else (t - inner) / (outer - inner)
    return GridStep(inner, outer, up)
