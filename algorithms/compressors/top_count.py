"""Top-k whose k comes with the row: for methods that choose it as they go."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.base import Property
from algorithms.compressors.entries import entries_of
from algorithms.compressors.masked import MaskCompressor
from algorithms.compressors.requirements import kept, require_finite, require_rows, share_name
from algorithms.core.key import Draws
from algorithms.core.row_slices import highest
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sparsifier_rows import top_count
from theory import bits
from theory.claims import Claim, Confidence, Contraction, Source

_PAPER = Source("Han, Wang, Leung", 2020, "2001.04756", "Section III")


@final
@dataclass(frozen=True)
class TopCount(MaskCompressor):
    """Keep the largest magnitudes, as many as the guide's first coordinate says; else k.

    Of equal magnitudes the lower index counts as the larger; zeros are never sent. As an operator
    it is top-k, delta = k/d. (Han, Wang, Leung 2020, arXiv:2001.04756, choose k as they go.)
    """

    k: int | float

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.PERMUTATION}
    )

    indices_sent = True
    factor = 1.0

    @property
    def name(self) -> str:
        return f"top-count({share_name(self.k)})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return (Contraction(kept(self.k, d) / d, "k/d", _PAPER, True, Confidence.READ),)

    def mask(self, x: Tensor, draws: Draws) -> Tensor:
        k = kept(self.k, x.shape[-1])
        return _largest(x, torch.full_like(x[..., :1], k, dtype=torch.int64))

    def mask_again(self, d: int, draws: Draws) -> Tensor:
        raise TypeError(f"{self.name} chooses by value; its indices must be sent")

    def encode_guided(self, x: Tensor, guide: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        entries = entries_of(_largest(x, guide[..., :1].to(torch.int64)) & (x != 0))
        return entries.count, entries.positions, entries.pick(x)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        own = numbers(dtype, ints=(*self.lengths(d, dtype), kept(self.k, d), 1))
        return RowPart(top_count, own, draws=False, work=8 * d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        """For k coordinates; a guide may ask for up to d."""
        return bits.sparse(d, kept(self.k, d), float_bits)


def _largest(x: Tensor, count: Tensor) -> Tensor:
    """Mask of the ``count`` ``[..., 1]`` largest magnitudes of rows ``[..., d]``."""
    return highest(x.abs(), count)


def ranks(size: Tensor) -> Tensor:
    """0 for the largest of each row ``[..., d]``, 1 for the next; of equals the lower index."""
    order = size.argsort(dim=-1, descending=True, stable=True)
    place = torch.arange(size.shape[-1], device=size.device).expand_as(order)
    return torch.empty_like(order).scatter_(-1, order, place)
