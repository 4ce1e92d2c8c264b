"""Stochastic binary and k-level quantisation (Suresh, Yu, Kumar, McMahan 2017, 1611.00429)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Property
from algorithms.compressors.grid import GridCompressor, rational_root
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.core.key import Draws, uniforms
from algorithms.kernels import extremes, grids, rounding, row_norms
from algorithms.kernels.quantiser_rows import k_levels
from algorithms.kernels.row_parts import RowPart, numbers
from theory.claims import Claim, Confidence, Source, Unbiased, VarianceBound

_PAPER = Source("Suresh et al.", 2017, "1611.00429", "Section 2, Theorem 2")
_SHARP = Source("Suresh et al.", 2017, "1611.00429", "tight constant derived here")
_TABLE = 0.25  # levels in a coordinate up to which a row's values are worth a table


class Span(Enum):
    """Range of the levels, from the smallest coordinate on."""

    RANGE = "max - min"
    NORM = "sqrt(2) ||x||"


@final
@dataclass(frozen=True)
class KLevel(GridCompressor):
    r"""k uniform levels on [X_min, X_min + span]: the paper's $\pi_{sk}$, $\pi_{sb}$ for k = 2.

    $C(x)_j$ is one of the neighbours of $x_j$, without bias. Variance $\sum_j (h_j - x_j)(x_j -
    l_j)$: omega = (d - 2)/(2 (k-1)^2) where the span is the range (tight for even k),
    (d - 1)/(2 (k-1)^2) where it is sqrt(2) ||x|| (both derived in ``proofs_check``; the paper's has
    d for d - 1 or d - 2). Message: both ends, and ceil(log2 k) bits a coordinate.

    Raises:
        ValueError: k outside [2, 2^24].
    """

    k: int = 2
    span: Span = Span.RANGE

    properties: ClassVar[frozenset[Property]] = frozenset({Property.SCALE, Property.PERMUTATION})

    def __post_init__(self) -> None:
        if not 2 <= self.k <= 2**24:
            raise ValueError(f"k must lie in [2, 2^24], got k={self.k}")

    @property
    def name(self) -> str:
        return f"k-level(k={self.k}, span {self.span.value})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        less = 2 if self.span is Span.RANGE else 1
        omega = max(d - less, 0) / (2 * (self.k - 1) ** 2)
        tight = self.span is Span.RANGE and self.k == 2
        formula = f"(d - {less})/(2 (k-1)^2)"
        return (
            Unbiased(_PAPER),
            VarianceBound(omega, formula, _SHARP, tight, Confidence.DERIVED),
        )

    def ends(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The lowest and the highest level ``[..., m, 1]`` of rows ``[..., m, d]``."""
        low, high = extremes.ends(x)
        if self.span is Span.NORM:
            high = torch.maximum(high, low + math.sqrt(2) * row_norms.norms(x))
        return low, high

    def cells(self, x: Tensor) -> tuple[Tensor, Tensor]:
        low, high = self.ends(x)
        place = grids.place_torch(x, low, high, self.k - 1)
        return (
            self._value(place.floor(), low, high).to(x.dtype),
            self._value(place.ceil(), low, high).to(x.dtype),
        )

    def exact_cells(self, x: Sequence[Fraction]) -> tuple[tuple[Fraction, Fraction], ...]:
        low, high = min(x), max(x)
        if self.span is Span.NORM:
            square = 2 * sum((t * t for t in x), Fraction(0))
            high = low + rational_root(square, "2 ||x||^2")
        if low == high:
            return tuple((t, t) for t in x)
        step = (high - low) / (self.k - 1)
        places = [(t - low) / step for t in x]
        return tuple((low + math.floor(p) * step, low + math.ceil(p) * step) for p in places)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        width = (self.k - 1).bit_length()
        levels = Field("levels", d, width, rounding.code_dtype(width))
        return (Field.floats("ends", 2, dtype), levels)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        low, high = self.ends(x)
        ends = torch.cat((low, high), -1)
        require_finite(ends, x, self.name)
        last, width = self.k - 1, (self.k - 1).bit_length()
        return ends, grids.between(x, low, high, last, uniforms(draws, x), width)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        ends, levels = symbols
        low, high, size = ends[..., :1], ends[..., 1:], 1 << (self.k - 1).bit_length()
        if size > _TABLE * d:
            return self._value(levels, low, high).to(dtype)
        every = torch.arange(size, device=ends.device)
        return grids.from_codebook(levels, self._value(every, low, high).to(dtype))

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(k_levels, numbers(dtype, ints=(self.k, self.span is Span.NORM)))

    def stated_bits(self, d: int, float_bits: int) -> float:
        """Two floats and d ceil(log2 k)."""
        return float(2 * float_bits + d * (self.k - 1).bit_length())

    def _value(self, level: Tensor, low: Tensor, high: Tensor) -> Tensor:
        """The level's value (float64), exact at both ends."""
        share = level.to(torch.float64) / (self.k - 1)
        return (1 - share) * low.to(torch.float64) + share * high.to(torch.float64)
