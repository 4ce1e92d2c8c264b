"""Deterministic rounding to a uniform grid around zero, as wide as the row (LAQ) or as told."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor, Property
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.core.key import Draws
from algorithms.kernels import extremes, grids, rounding
from algorithms.kernels.quantiser_rows import nearest_points, points_within
from algorithms.kernels.row_parts import RowPart, numbers
from theory.claims import Claim, Confidence, Contraction, NoConstant, Source, VarianceBound

_LAQ = Source("Sun, Chen, Giannakis, Yang", 2019, "1909.07588", "Eq. 5-6")
_FIXED = Source("Pu, Zeilinger, Jones", 2017, "1504.02317", "uniform quantiser")


def _check_bits(bits: int) -> None:
    if not 1 <= bits <= 16:
        raise ValueError(f"bits must lie in [1, 16], got bits={bits}")


def _values(symbols: Tensor, radius: Tensor, bits: int, dtype: torch.dtype) -> Tensor:
    top = (1 << bits) - 1
    return symbols.to(dtype, copy=True).mul_(2 / top).sub_(1).mul_(radius)


@final
@dataclass(frozen=True)
class NearestGrid(Compressor):
    r"""C(x)_j: the nearest of 2^b points from -R to R, R = ||x||_inf; b bits and one float.

    Each coordinate is off by at most R/(2^b - 1), the largest by nothing, so ||C(x) - x||^2 <=
    (d - 1)/(2^b - 1)^2 ||x||^2, attained by one-hot vectors: zero lies between two points.
    Deterministic, hence biased; a contraction where that constant is below 1. (Sun, Chen,
    Giannakis, Yang 2019, arXiv:1909.07588, LAQ.)

    Raises:
        ValueError: b outside [1, 16].
    """

    b: int = 4

    properties: ClassVar[frozenset[Property]] = frozenset({Property.SCALE, Property.PERMUTATION})

    def __post_init__(self) -> None:
        _check_bits(self.b)

    @property
    def name(self) -> str:
        return f"nearest of {1 << self.b} levels"

    def claims(self, d: int) -> tuple[Claim, ...]:
        ratio = (d - 1) / ((1 << self.b) - 1) ** 2
        formula = "(d - 1)/(2^b - 1)^2"
        bound = VarianceBound(ratio, formula, _LAQ, True, Confidence.DERIVED)
        if ratio >= 1:
            return (bound,)
        return (bound, Contraction(1 - ratio, f"1 - {formula}", _LAQ, True, Confidence.DERIVED))

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        levels = Field("levels", d, self.b, rounding.code_dtype(self.b))
        return (Field.floats("radius", 1, dtype), levels)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        radius = extremes.tops(x)
        require_finite(radius, x, self.name)
        return radius, grids.nearest(x, radius, self.b)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        radius, levels = symbols
        return _values(levels, radius, self.b, dtype)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        top = float((1 << self.b) - 1)
        return RowPart(nearest_points, numbers(dtype, top, 2 / top), draws=False)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return float(float_bits + self.b * d)


@final
@dataclass(frozen=True)
class FixedRange(Compressor):
    r"""The nearest of 2^b - 1 points from -R to R, R known to both sides: b bits a coordinate.

    Zero is a point (the last symbol is not used). Where |x_j| <= R each coordinate is off by at
    most R/(2^b - 2); beyond, the end of the range is sent. No constant: a small x is lost whole.
    (Pu, Zeilinger, Jones 2017, arXiv:1504.02317.)

    Attributes:
        radius: R [x].

    Raises:
        ValueError: b outside [2, 16], or R <= 0.
    """

    radius: float
    b: int = 4

    properties: ClassVar[frozenset[Property]] = frozenset({Property.PERMUTATION})

    def __post_init__(self) -> None:
        _check_bits(self.b)
        if self.b < 2 or not (self.radius > 0 and math.isfinite(self.radius)):
            raise ValueError(
                f"b must be at least 2 and radius positive, got b={self.b}, radius={self.radius}"
            )

    @property
    def name(self) -> str:
        return f"fixed range(R={self.radius:.3g}, b={self.b})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        small = (0.1 * self.radius / ((1 << self.b) - 2),)
        why = "below half a cell everything is rounded to zero"
        return (NoConstant(why, _FIXED, Confidence.DERIVED, small, small),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field("levels", d, self.b, rounding.code_dtype(self.b)),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        half = (1 << (self.b - 1)) - 1
        return (grids.within(x, self.radius, half, self.b),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        half = (1 << (self.b - 1)) - 1
        return symbols[0].to(dtype, copy=True).sub_(half).div_(half).mul_(self.radius)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        half = float((1 << (self.b - 1)) - 1)
        return RowPart(points_within, numbers(dtype, self.radius, half), draws=False)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return float(self.b * d)
