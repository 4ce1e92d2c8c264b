"""1-bit SGD's quantiser (Seide, Fu, Droppo, Li, Yu 2014, Interspeech)."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor, Property, Shapes
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.core.key import Draws
from algorithms.kernels.grids import from_codebook
from algorithms.kernels.mask_to_indices import negative
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.row_sums import side_means
from algorithms.kernels.sign_rows import side_means as side_mean_rows
from theory.claims import Claim, Confidence, Contraction, Source

_PAPER = Source("Seide et al.", 2014, "", "Section 3.2; constant derived here")


@final
@dataclass(frozen=True)
class OneBit(Compressor):
    r"""Each column of each tensor: sign bits (threshold 0), decoded as the mean of either side.

    A tensor of shape (r, ..., c) has its entries in columns by the last axis, each r ... long; a
    vector is one column, and so is a row that no shapes are given to (:meth:`for_shapes`). Zero is
    on the upper side; an empty side decodes as zero. Message: two means a column and d bits.

    Proof of delta = 1/(longest column): the means are least squares and each side has one sign, so
    a column keeps $\sum_g n_g \bar v_g^2 = \sum_g \|v_g\|_1^2/n_g \ge \sum_g \|v_g\|_2^2/n_g$, and
    n_g is at most the column's length. Attained by a positive one-hot column.

    Raises:
        ValueError: the shapes do not add up to d.
    """

    shapes: Shapes = ()

    properties: ClassVar[frozenset[Property]] = frozenset({Property.SCALE, Property.ODD})

    @property
    def name(self) -> str:
        return "one bit"

    def for_shapes(self, shapes: Shapes) -> Compressor:
        return replace(self, shapes=shapes)

    def _tables(self, d: int) -> tuple[tuple[int, int], ...]:
        """Length and number of the columns of every tensor."""
        tables = [
            (math.prod(s[:-1]), s[-1]) if len(s) > 1 else (math.prod(s), 1) for s in self.shapes
        ] or [(d, 1)]
        if sum(length * count for length, count in tables) != d:
            raise ValueError(f"shapes must hold d={d} numbers together, got {self.shapes}")
        return tuple(tables)

    def claims(self, d: int) -> tuple[Claim, ...]:
        longest = max(length for length, _ in self._tables(d))
        formula = "1/(longest column)"
        return (Contraction(1 / longest, formula, _PAPER, True, Confidence.DERIVED),)

    def _columns(self, d: int) -> int:
        return sum(count for _, count in self._tables(d))

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        means = Field.floats("means", 2 * self._columns(d), dtype)
        return (means, Field("negative", d, 1, torch.uint8))

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        means = torch.cat([_means(table) for table in self._cut(x)], -1)
        require_finite(means, x, self.name)
        return means, negative(x)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        means, below = symbols
        pieces, start = [], 0
        if means.shape[-1] == 2:
            return from_codebook(below, means)
        for table in self._cut(below):
            count = table.shape[-1]
            own = means[..., start : start + 2 * count]
            upper, lower = own[..., :count], own[..., count:]
            pieces.append(torch.where(table == 1, lower[..., None, :], upper[..., None, :]))
            start += 2 * count
        return torch.cat([piece.flatten(-2) for piece in pieces], -1)

    def _cut(self, x: Tensor) -> Iterator[Tensor]:
        """Rows as one table ``[..., m, length, count]`` a tensor."""
        start = 0
        for length, count in self._tables(x.shape[-1]):
            part = x[..., start : start + length * count]
            yield part.reshape(*x.shape[:-1], length, count)
            start += length * count

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        tables = tuple(number for table in self._tables(d) for number in table)
        return RowPart(side_mean_rows, numbers(dtype, ints=tables), draws=False)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return float(d + 2 * float_bits * self._columns(d))


def _means(table: Tensor) -> Tensor:
    """Upper means, then lower ones ``[..., m, 2 count]``; sums run down the column in order."""
    if table.shape[-1] == 1:
        return side_means(table[..., 0])
    below = table < 0
    sides = []
    for side in (~below, below):
        held = torch.where(side, table, 0).to(torch.float64).cumsum(-2)[..., -1, :]
        sides.append(held / side.sum(-2).clamp_min(1))
    return torch.cat(sides, -1).to(table.dtype)
