"""Strom's fixed threshold (2015, Interspeech)."""

from __future__ import annotations

import math
from collections.abc import Iterator
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
from algorithms.core.row_slices import row_slices
from algorithms.kernels.devices import put
from algorithms.kernels.grids import from_codebook
from algorithms.kernels.mask_to_indices import above, negative
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sign_rows import fixed_threshold
from theory.bits import index_bits
from theory.claims import Claim, Confidence, NoConstant, Source

_PAPER = Source("Strom", 2015, "", "Interspeech, Section 3")


@final
@dataclass(frozen=True)
class Strom(SparseCompressor):
    r"""+tau where x_j > tau, -tau where x_j < -tau, else nothing: 31-bit index and sign for each.

    (The survey prints "less than T" for what is dropped; an entry below -tau is sent: erratum E28.)
    No constant: what lies below tau is lost whole. With error feedback the residual stays within
    tau as long as |g| <= tau: a residual within tau plus such a g is within 2 tau, and tau is sent.

    Raises:
        ValueError: tau is not positive and finite.
    """

    tau: float

    properties: ClassVar[frozenset[Property]] = frozenset({Property.ODD, Property.PERMUTATION})

    def __post_init__(self) -> None:
        if not (self.tau > 0 and math.isfinite(self.tau)):
            raise ValueError(f"tau must be positive and finite, got tau={self.tau}")

    @property
    def name(self) -> str:
        return f"Strom threshold(tau={self.tau:g})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        small = (self.tau / 2,)
        why = "below tau everything is lost"
        return (NoConstant(why, _PAPER, Confidence.DERIVED, small, small),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        count = Field("count", 1, index_bits(d + 1))
        return (count, Field("indices", d, 31), Field("negative", d, 1))

    def code(self, d: int, dtype: torch.dtype) -> Code:
        return Lists(
            (),
            (Records((Column("indices", 31, torch.int32), Column("negative", 1, torch.uint8)), d),),
        )

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        tau = put(torch.tensor(self.tau, dtype=x.dtype).to(torch.float64), x.device)
        entries, values = listed(above(x, tau), x)
        return entries.count, entries.positions, negative(values)

    def listed(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> ListedRows:
        count, positions, negative = symbols
        both = put(torch.tensor([1, -1], dtype=dtype) * self.tau, count.device)
        return ListedRows(count, positions, from_codebook(negative, both))

    def pieces(
        self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws
    ) -> Iterator[ListedRows]:
        count, positions, negative = symbols
        for here in row_slices(positions.shape[-1]):
            some = (count - here.start).clamp(0, here.stop - here.start)
            yield self.listed((some, positions[..., here], negative[..., here]), d, dtype, draws)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(fixed_threshold, numbers(dtype, self.tau), draws=False)

    def stated_bits(self, d: int, float_bits: int) -> float:
        """The longest: every coordinate is sent."""
        return 32.0 * d

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        length = 32.0 * (sent != 0).sum(-1).to(torch.float64)
        return StatedLength(length, length)
