"""Cocktail of random choice, top-k and few bits (Wang, Lu, Yuan et al. 2023, ICML)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Layout, Symbols
from algorithms.compressors.base import Compressor
from algorithms.compressors.nearest_grid import NearestGrid
from algorithms.compressors.requirements import (
    count_formula,
    kept,
    require_finite,
    require_rows,
    share_name,
)
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Draws, drawn_lots
from algorithms.kernels.cocktail_rows import cocktail
from algorithms.kernels.row_parts import RowPart, numbers
from theory.bits import index_bits
from theory.claims import Claim, Confidence, Contraction, Source

_OURS = Source("Wang et al.", 2023, "", "CocktailSGD, constant derived here")


@final
@dataclass(frozen=True)
class Cocktail(Compressor):
    r"""A share of the coordinates by lot, of those the largest, of these b bits each.

    Of m = ``share`` d coordinates, which both sides draw, the k = ``top`` m of largest magnitude
    are rounded to the nearest of 2^b points between plus and minus the largest. It contracts with
    delta = (1 - (k - 1)/(2^b - 1)^2) k/d: a lot keeps m/d of the square on average, the largest of
    it at least k/m, and rounding takes at most (k - 1)/(2^b - 1)^2 of that (derived here). Message:
    a float, k times b bits, k indices of ceil(log2 m) bits.

    Attributes:
        share: share of the coordinates in the lot, or their number.
        top: share of the lot that is sent, or their number.
        b: bits of a value.

    Raises:
        ValueError: b outside [1, 16], shares outside (0, 1].
    """

    share: int | float = 0.1
    top: int | float = 0.2
    b: int = 4

    def __post_init__(self) -> None:
        _ = self._grid

    @property
    def name(self) -> str:
        parts = f"lot {share_name(self.share)}, top-k({share_name(self.top)}), {self.b} bits"
        return f"cocktail({parts})"

    @property
    def _grid(self) -> NearestGrid:
        return NearestGrid(self.b)

    def sizes(self, d: int) -> tuple[int, int]:
        """Numbers of coordinates in the lot and sent, of d.

        Raises:
            ValueError: they do not fit d.
        """
        lot = kept(self.share, d, "share")
        return lot, kept(self.top, lot, "top")

    def claims(self, d: int) -> tuple[Claim, ...]:
        _, k = self.sizes(d)
        left = 1 - (k - 1) / ((1 << self.b) - 1) ** 2
        if left <= 0:
            return ()
        sent = count_formula(self.top, "top", count_formula(self.share, "share"))
        formula = f"(1 - (k - 1)/(2^b - 1)^2) k/d, k = {sent}"
        return (Contraction(left * k / d, formula, _OURS, False, Confidence.DERIVED),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        lot, k = self.sizes(d)
        _, indices = TopK(k).layout(lot, dtype)
        return (*self._grid.layout(k, dtype), indices)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        lot, k = self.sizes(x.shape[-1])
        where = drawn_lots(draws, x.shape[-1], lot).expand(*x.shape[:-1], lot)
        values, indices = TopK(k).encode(x.gather(-1, where), draws)
        return (*self._grid.encode(values, draws), indices)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        radius, levels, indices = symbols
        lot, k = self.sizes(d)
        values = self._grid.decode((radius, levels), k, dtype, draws)
        where = drawn_lots(draws, d, lot).expand(*values.shape[:-1], lot)
        chosen = where.gather(-1, indices.long())
        return values.new_zeros((*values.shape[:-1], d)).scatter_(-1, chosen, values)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        top = float((1 << self.b) - 1)
        return RowPart(cocktail, numbers(dtype, top, 2 / top, ints=self.sizes(d)), work=24 * d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        lot, k = self.sizes(d)
        return float(float_bits + k * (self.b + index_bits(lot)))
