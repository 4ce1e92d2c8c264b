"""Rounding on a circle: a number without its multiples of B (Moniqua)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.core.key import Draws
from algorithms.kernels import rounding
from algorithms.kernels.quantiser_rows import circle_points
from algorithms.kernels.row_parts import RowPart, numbers
from theory.claims import Claim, Confidence, NoConstant, Source

_PAPER = Source("Lu, De Sa", 2020, "2002.11787", "Algorithm 1")


@final
@dataclass(frozen=True)
class CircleGrid(Compressor):
    r"""The nearest of 2^b points of a circle of length B to x mod B: b bits a coordinate.

    Along the circle each coordinate is off by at most B / 2^{b+1}, however large it is. Read alone
    it is a number in [0, B): of no constant; who knows x to within :meth:`reach` finds it
    (:meth:`read_by`). (Lu, De Sa 2020, arXiv:2002.11787, with nearest rounding.)

    Attributes:
        length: B [x].
        b: bits a coordinate.

    Raises:
        ValueError: b outside [1, 16], or length <= 0.
    """

    length: float
    b: int = 6

    def __post_init__(self) -> None:
        if not 1 <= self.b <= 16:
            raise ValueError(f"b must lie in [1, 16], got b={self.b}; 6 would do")
        if not (self.length > 0 and math.isfinite(self.length)):
            raise ValueError(f"length must be positive, got length={self.length}; 1 would do")

    @property
    def name(self) -> str:
        return f"circle(B={self.length:.3g}, b={self.b})"

    @property
    def cell(self) -> float:
        """Distance B / 2^b of two points."""
        return self.length / (1 << self.b)

    @property
    def reach(self) -> float:
        """How near the reader must be: B/2 less half a cell."""
        return (self.length - self.cell) / 2

    def claims(self, d: int) -> tuple[Claim, ...]:
        small = (0.1 * self.cell,)
        why = "below half a cell everything is rounded to zero"
        return (NoConstant(why, _PAPER, Confidence.DERIVED, small, small),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field("levels", d, self.b, rounding.code_dtype(self.b)),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        turns = x / self.length
        place = torch.round((turns - turns.floor()) * (1 << self.b)).to(torch.int64)
        return ((place % (1 << self.b)).to(rounding.code_dtype(self.b)),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return symbols[0].to(dtype) * self.cell

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        given = numbers(dtype, self.length, self.cell, float(1 << self.b))
        return RowPart(circle_points, given, draws=False)

    def read_by(self, points: Tensor, reader: Tensor) -> Tensor:
        """The numbers nearest to ``reader`` [x] that ``points`` of the circle stand for."""
        apart = (points - reader) / self.length
        return reader + (apart - torch.round(apart)) * self.length

    def stated_bits(self, d: int, float_bits: int) -> float:
        return float(self.b * d)


EXAMPLES = (CircleGrid(4.0),)
