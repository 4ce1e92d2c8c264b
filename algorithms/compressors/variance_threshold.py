"""Unambiguous elements in 4-bit powers of two (Tsuzuku et al. 2018, arXiv:1802.06058)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Field, Layout, Symbols
from algorithms.codes.lists import Column, Lists, Records
from algorithms.compressors.base import ListedRows, Property, StatedLength
from algorithms.compressors.entries import listed
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.compressors.sparse import SparseCompressor
from algorithms.core.key import Draws
from algorithms.kernels import variance_threshold_kernel
from algorithms.kernels.entries import place_type
from algorithms.kernels.grids import from_codebook
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sparse_level_rows import unambiguous
from theory.bits import index_bits
from theory.claims import Claim, Confidence, Contraction, Source

_OURS = Source("Tsuzuku, Imachi, Akiba", 2018, "1802.06058", "Section 4.2, constant derived here")
_LEVELS = variance_threshold_kernel.LEVELS


@final
@dataclass(frozen=True)
class VarianceThreshold(SparseCompressor):
    r"""Send r_j where r_j^2 > \alpha v_j, v the guide (a variance); without a guide, all of r.

    Values go as sign and power of two, rounded at 1.5 2^e, in 3 bits below the largest power 2^E of
    the row: 2^E, ..., 2^{E-7}; what would round below is not sent. One float holds 2^E, each
    element takes a position and 4 bits.

    With everything unambiguous delta = (8/9)/(1 + (d - 1) 2^-14): rounding errs by at most a third
    (at 3/4 of a power), and what is left out is below 2^-7 of the largest; near-attained together.

    Raises:
        ValueError: alpha < 0.
    """

    alpha: float = 1.0

    properties: ClassVar[frozenset[Property]] = frozenset({Property.ODD})

    def __post_init__(self) -> None:
        if not self.alpha >= 0:
            raise ValueError(f"alpha must be at least 0, got alpha={self.alpha}")

    @property
    def name(self) -> str:
        return f"unambiguous(alpha={self.alpha:g})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        delta = 8 / 9 / (1 + (d - 1) * 2.0**-14)
        return (Contraction(delta, "(8/9)/(1 + (d-1)/2^14)", _OURS, True, Confidence.DERIVED),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (
            Field.floats("largest", 1, dtype),
            Field("count", 1, index_bits(d + 1)),
            Field("indices", d, index_bits(d)),
            Field("codes", d, 4),
        )

    def code(self, d: int, dtype: torch.dtype) -> Code:
        columns = (Column("indices", index_bits(d), place_type(d)), Column("codes", 4, torch.uint8))
        return Lists((Field.floats("largest", 1, dtype),), (Records(columns, d),))

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.encode_guided(x, torch.zeros_like(x[..., :1]), draws)

    def encode_guided(self, x: Tensor, guide: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        top, codes = variance_threshold_kernel.codes(x, guide, self.alpha)
        entries, code = listed(codes, codes)
        largest = torch.where(
            top > variance_threshold_kernel.LEAST, torch.ldexp(torch.ones_like(x[..., :1]), top), 0
        )
        return largest, entries.count, entries.positions, code.clamp_(min=1).sub_(1)

    def listed(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> ListedRows:
        largest, count, positions, code = symbols
        size = largest * 0.5 ** torch.arange(_LEVELS, dtype=dtype, device=code.device)
        return ListedRows(count, positions, from_codebook(code, torch.cat((size, -size), -1)))

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        ints = (torch.finfo(dtype).bits, index_bits(d) + 4)
        own = numbers(dtype, self.alpha, ints=ints)
        return RowPart(unambiguous, own, draws=False, work=8 * d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        """The longest message: every element."""
        return float(float_bits + d * (index_bits(d) + 4))

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        each = index_bits(sent.shape[-1]) + 4
        length = float_bits + ((sent != 0).sum(-1) * each).to(torch.float64)
        return StatedLength(length, length)
