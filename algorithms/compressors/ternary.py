"""Ternaries whose scale is agreed on beforehand, and their sums (Wen et al. 2017, 1705.07878)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor, Property
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.core.key import Draws, uniforms
from algorithms.kernels import extremes, grids, ternaries
from algorithms.kernels.coded_rows import ternary_sums, unit_ternaries
from algorithms.kernels.devices import put
from algorithms.kernels.row_parts import RowPart, numbers
from theory.claims import Claim, Confidence, NoConstant, Source

_PAPER = Source("Wen et al.", 2017, "1705.07878", "Sections 3.3 and 4")


@final
@dataclass(frozen=True)
class UnitTernary(Compressor):
    r"""sign(x_j) b_j with P(b_j = 1) = |x_j| / s_j, without the scale: two bits a coordinate.

    The guide holds s_j, the scale that all workers share; without one it is max |x|. The receiver
    multiplies by it. By itself it has no constant: it forgets the size of x.
    """

    properties: ClassVar[frozenset[Property]] = frozenset({Property.ODD, Property.PERMUTATION})

    @property
    def name(self) -> str:
        return "unit ternary"

    def claims(self, d: int) -> tuple[Claim, ...]:
        why = "the scale is the sender's and the receiver's business"
        return (NoConstant(why, _PAPER, Confidence.DERIVED, (2.0,), (0.25, -0.25)),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field("ternaries", d, 2, torch.uint8),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.encode_guided(x, extremes.tops(x), draws)

    def encode_guided(self, x: Tensor, guide: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        return (ternaries.ternary(x, guide, uniforms(draws, x)),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        values = put(torch.tensor([0, 1, -1, 3], dtype=dtype), symbols[0].device)
        return grids.from_codebook(symbols[0], values)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(unit_ternaries, numbers(dtype))

    def stated_bits(self, d: int, float_bits: int) -> float:
        return 2.0 * d


@final
@dataclass(frozen=True)
class TernarySum(Compressor):
    r"""Means of n unit ternaries, j/n with j in [-n, n]: ceil(log2(2n + 1)) bits a coordinate.

    Exact on such means. Elsewhere it rounds to the nearest and is cut off at 1, so it has no
    constant.

    Raises:
        ValueError: n < 1.
    """

    n: int

    def __post_init__(self) -> None:
        if self.n < 1:
            raise ValueError(f"n must be at least 1, got n={self.n}")

    @property
    def name(self) -> str:
        return f"sum of {self.n} ternaries"

    @property
    def _width(self) -> int:
        return (2 * self.n).bit_length()

    def claims(self, d: int) -> tuple[Claim, ...]:
        small = (0.1 / self.n,)
        return (NoConstant("a small x is lost whole", _PAPER, Confidence.DERIVED, small, small),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field("sums", d, self._width),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        return ((x * self.n).round().clamp(-self.n, self.n).to(torch.int64) + self.n,)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return (symbols[0] - self.n).to(dtype) / self.n

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(ternary_sums, numbers(dtype, float(self.n)), draws=False)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return float(d * self._width)


EXAMPLES = (TernarySum(4),)
