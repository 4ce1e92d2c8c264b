"""QSGD in Elias's code (Alistarh et al. 2017, arXiv:1610.02132, Section 3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Field, Layout, Symbols
from algorithms.codes.lists import Column, Lists, Records
from algorithms.compressors.base import Property, StatedLength
from algorithms.compressors.entries import from_gaps, gaps, listed
from algorithms.compressors.grid import GridCompressor
from algorithms.compressors.qsgd import QSGD
from algorithms.core.key import Draws
from algorithms.kernels import mask_to_indices, rounding
from algorithms.kernels.coded_rows import elias_levels
from algorithms.kernels.row_parts import RowPart, numbers
from theory import bits
from theory.bits import index_bits
from theory.claims import Claim


@final
@dataclass(frozen=True)
class EliasQSGD(GridCompressor):
    r"""QSGD of s levels; only what is not zero is written, to the end of the message.

    The norm as a float; then for each nonzero the distance to the one before in Elias's omega code,
    its sign, and its level in omega code. The expected length is bounded by (3 + (3/2 + o(1))
    log2(2(s^2 + d)/(s(s + sqrt d)))) s(s + sqrt d) + 32 (Theorem 3.2, stated without the o(1)).
    """

    s: int = 1

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.PERMUTATION}
    )

    def __post_init__(self) -> None:
        self.inner  # refuses s out of range  # noqa: B018

    @property
    def inner(self) -> QSGD:
        """The same operator at fixed width."""
        return QSGD(self.s)

    @property
    def name(self) -> str:
        return f"QSGD(s={self.s}), Elias"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return self.inner.claims(d)

    def cells(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self.inner.cells(x)

    def exact_cells(self, x: Sequence[Fraction]) -> tuple[tuple[Fraction, Fraction], ...]:
        return self.inner.exact_cells(x)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (
            Field.floats("scale", 1, dtype),
            Field("count", 1, index_bits(d + 1)),
            Field("gaps", d, index_bits(d + 1)),
            Field("negative", d, 1),
            Field("levels", d, self.s.bit_length()),
        )

    def code(self, d: int, dtype: torch.dtype) -> Code:
        columns = (
            Column("gaps", 0, elias="omega"),
            Column("negative", 1),
            Column("levels", 0, elias="omega"),
        )
        return Lists((Field.floats("scale", 1, dtype),), (Records(columns, d),))

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        scale, codes = self.inner.encode(x, draws)
        mask = (1 << self.inner.width) - 1
        level = codes & mask
        marks = level if level.dtype == torch.uint8 else mask_to_indices.nonzero(level)
        entries, found = listed(marks, codes)
        picked = found.to(torch.int64)
        return scale, entries.count, gaps(entries), picked >> self.inner.width, picked & mask

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        scale, count, distances, negative, level = symbols
        entries = from_gaps(count, distances)
        width = self.inner.width
        words = (level | (negative << width)).to(rounding.code_dtype(1 + width))
        codes = entries.spread(words, d)
        return self.inner.decode((scale, codes), d, dtype, draws)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        ints = (self.s, self.inner.width, torch.finfo(dtype).bits)
        return RowPart(elias_levels, numbers(dtype, ints=ints))

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.qsgd_elias(d, self.s, float_bits)

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        """Distances and signs follow from what was sent; levels lie between 1 and s."""
        flat = sent.reshape(-1, sent.shape[-1])
        highest = max(bits.elias_omega(level) for level in range(1, self.s + 1))
        least, most = [], []
        for places in ((row != 0).nonzero()[:, 0].tolist() for row in flat):
            known = float_bits + len(places) + bits.elias_positions(places)
            least.append(known + len(places))
            most.append(known + len(places) * highest)
        shape = sent.shape[:-1]
        return StatedLength(
            torch.tensor(least, dtype=torch.float64).reshape(shape),
            torch.tensor(most, dtype=torch.float64).reshape(shape),
        )
