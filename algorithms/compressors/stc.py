"""Sparse ternary compression (Sattler, Wiedemann, Mueller, Samek 2019, arXiv:1903.02891)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Field, Layout, Symbols
from algorithms.codes.lists import Column, Lists, Records
from algorithms.compressors.base import ListedRows, Property, StatedLength
from algorithms.compressors.entries import (
    Entries,
    all_of,
    from_gaps,
    gaps,
    golomb_lengths,
    sums,
)
from algorithms.compressors.requirements import kept, require_finite, require_rows, share_name
from algorithms.compressors.sparse import SparseCompressor
from algorithms.core.key import Draws
from algorithms.kernels import selection
from algorithms.kernels.entries import place_type
from algorithms.kernels.grids import from_codebook
from algorithms.kernels.mask_to_indices import negative
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sparse_level_rows import sparse_ternary
from theory import bits
from theory.claims import Claim, Confidence, Contraction, Source

_SHARP = Source("Sattler et al.", 2019, "1903.02891", "derived here: two convex extremes")


@final
@dataclass(frozen=True)
class STC(SparseCompressor):
    r"""$C(x)_j = \mu\,\mathrm{sign}(x_j)$ on the k largest magnitudes, $\mu$ their mean.

    sgn(0) = +1, for a row with fewer than k nonzeros. Deterministic. Message: mu, then the distance
    to the next position in Golomb's code and a sign, k times; the code is the best one for
    positions that are k/d dense.

    $\|C(x) - x\|^2 = \|x\|^2 - \|top_k(x)\|_1^2 / k$. Proof of delta = min(1/k, k/d): with S =
    ||top_k(x)||_1 the square norm, convex, is largest for given S at an extreme: one value S, or
    all d equal to S/k; so ||x||^2 <= S^2 max(1, d/k^2). Attained by one-hot or by flat rows.
    """

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.PERMUTATION}
    )

    k: int | float

    @property
    def name(self) -> str:
        return f"STC({share_name(self.k)})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        k = kept(self.k, d)
        return (Contraction(min(1 / k, k / d), "min(1/k, k/d)", _SHARP, True, Confidence.DERIVED),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        k = kept(self.k, d)
        gap, sign = Field("gaps", k, 32), Field("signs", k, 1)
        return (Field.floats("mean", 1, dtype), Field("count", 1, 32), gap, sign)

    def code(self, d: int, dtype: torch.dtype) -> Code:
        k = kept(self.k, d)
        columns = (
            Column("gaps", bits.golomb_width(k / d), place_type(d), golomb=True),
            Column("signs", 1, torch.uint8),
        )
        return Lists((Field.floats("mean", 1, dtype),), (Records(columns, k),))

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        chosen = selection.largest(x, kept(self.k, x.shape[-1]))
        entries = Entries(all_of(chosen), chosen)
        values = entries.pick(x)
        mean = (sums(values) / values.shape[-1]).to(x.dtype)
        require_finite(mean, x, self.name)
        return mean, entries.count, gaps(entries), negative(values).to(torch.int64)

    def listed(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> ListedRows:
        mean, count, distances, below = symbols
        entries = from_gaps(count, distances)
        values = from_codebook(below.to(torch.int64), torch.cat((mean, -mean), -1))
        return ListedRows(count, entries.positions, values)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        k = kept(self.k, d)
        ints = (torch.finfo(dtype).bits + k, k, bits.golomb_width(k / d))
        return RowPart(sparse_ternary, numbers(dtype, ints=ints), draws=False, work=8 * d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        """Length of the longest message for rows of d numbers [bits]."""
        k = kept(self.k, d)
        return float(float_bits + k + bits.golomb_positions_most(d, k))

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        k = kept(self.k, sent.shape[-1])
        return golomb_lengths(sent, k, float_bits + k)
