"""Vectors known by their inner products alone, and expressions that are linear in those."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from theory.arrays import Floats

MEAN, DEVIATION = "mean", "deviation"
"""Blocks of a programme over agents that are all alike: their mean and what is left of each."""


def _padded(first: Floats, second: Floats) -> tuple[Floats, Floats]:
    """Both as long as the longer one, in every axis."""
    shape = np.maximum(first.shape, second.shape)
    grown = []
    for one in (first, second):
        new = np.zeros(shape)
        new[tuple(slice(size) for size in one.shape)] = one
        grown.append(new)
    return grown[0], grown[1]


@final
@dataclass(frozen=True, eq=False)
class Expression:
    """tr(``quadratic`` G) + ``linear`` . f + ``constant``, G the Gram matrix, f the values.

    Attributes:
        quadratic: a symmetric matrix.
        linear: coefficients of function values.
        constant: a number.
    """

    quadratic: Floats
    linear: Floats
    constant: float = 0.0

    def __add__(self, other: Expression | float) -> Expression:
        if isinstance(other, float | int):
            return Expression(self.quadratic, self.linear, self.constant + other)
        q, r = _padded(self.quadratic, other.quadratic)
        f, g = _padded(self.linear, other.linear)
        return Expression(q + r, f + g, self.constant + other.constant)

    def __mul__(self, factor: float) -> Expression:
        return Expression(factor * self.quadratic, factor * self.linear, factor * self.constant)

    __radd__, __rmul__ = __add__, __mul__

    def __neg__(self) -> Expression:
        return -1.0 * self

    def __sub__(self, other: Expression | float) -> Expression:
        return self + -1.0 * other

    def __truediv__(self, divisor: float) -> Expression:
        return (1.0 / divisor) * self


@final
@dataclass(frozen=True, eq=False)
class Vector:
    """A combination of basis vectors; inner products of those of two blocks are 0.

    Attributes:
        coefficients: one a basis vector.
        blocks: of every basis vector, a list that grows as they are made.
    """

    coefficients: Floats
    blocks: list[str]

    def __add__(self, other: Vector) -> Vector:
        first, second = _padded(self.coefficients, other.coefficients)
        return Vector(first + second, self.blocks)

    def __mul__(self, factor: float) -> Vector:
        return Vector(factor * self.coefficients, self.blocks)

    __rmul__ = __mul__

    def __neg__(self) -> Vector:
        return -1.0 * self

    def __sub__(self, other: Vector) -> Vector:
        return self + -1.0 * other

    def __truediv__(self, divisor: float) -> Vector:
        return (1.0 / divisor) * self

    def __matmul__(self, other: Vector) -> Expression:
        """The inner product, symmetrised."""
        u, v = _padded(self.coefficients, other.coefficients)
        names = np.array(self.blocks[: len(u)], dtype=object)
        product = np.outer(u, v) * (names[:, None] == names[None, :])
        return Expression((product + product.T) / 2, np.zeros(0))

    @property
    def square(self) -> Expression:
        """Squared length of the vector."""
        return self @ self

    def part(self, block: str) -> Vector:
        """Its part in one block."""
        kept = np.array([name == block for name in self.blocks[: len(self.coefficients)]])
        return Vector(np.where(kept, self.coefficients, 0.0), self.blocks)


def total(given: list[Expression]) -> Expression:
    """The sum of expressions."""
    return sum(given, Expression(np.zeros((0, 0)), np.zeros(0)))
