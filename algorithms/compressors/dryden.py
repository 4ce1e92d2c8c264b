"""Adaptive thresholds at a fixed proportion (Dryden, Jacobs, Moon, Van Essen 2016, MLHPC)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import ClassVar, final

import numpy as np
import torch
from torch import Tensor

from algorithms.codes.base import Code, Field, Layout, Symbols
from algorithms.codes.lists import Column, Lists, Records
from algorithms.compressors.base import ListedRows, Property, StatedLength
from algorithms.compressors.entries import entries_of, listed, sums
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.compressors.sparse import SparseCompressor
from algorithms.core.key import Draws
from algorithms.core.row_slices import highest
from algorithms.kernels import top_values
from algorithms.kernels.compiled import by_torch
from algorithms.kernels.devices import put
from algorithms.kernels.entries import place_type
from algorithms.kernels.grids import from_codebook
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sparse_level_rows import shares_of_sides
from theory.bits import index_bits
from theory.claims import Claim, Confidence, Contraction, Source

_SHARP = Source("Dryden et al.", 2016, "", "derived here: two convex extremes")


@final
@dataclass(frozen=True)
class Dryden(SparseCompressor):
    r"""The largest ceil(pi n+) positive and ceil(pi n-) negative values, each side by its mean.

    n+ and n- count the positive and the negative coordinates: both thresholds follow the row, so
    that the share of what is sent stays at pi. Deterministic; of equal values the lower index goes
    first. Message: two means, then an index and a sign for every coordinate sent.

    Proof of delta = min over n <= d of min(1/k, k/n), k = ceil(pi n): the sides are apart, and with
    S the sum of the k largest of n positive values, the error of a side is its square norm less
    S^2/k. The square norm is convex in them, so for given S it is largest at an extreme: one value
    S, or all n equal to S/k: at most S^2 max(1, n/k^2). Attained by one-sided rows.

    Attributes:
        proportion: pi in (0, 1], share of the positive and of the negative coordinates that is
            sent.

    Raises:
        ValueError: pi outside (0, 1].
    """

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.PERMUTATION}
    )

    proportion: float

    def __post_init__(self) -> None:
        if not 0 < self.proportion <= 1:
            raise ValueError(f"proportion must lie in (0, 1], got proportion={self.proportion}")

    @property
    def name(self) -> str:
        return f"Dryden(pi={self.proportion:g})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        shares = enumerate(_shares(self.proportion, d))
        delta = min(min(1 / k, k / n) for n, k in shares if n)
        formula = "min over n of min(1/k, k/n), k = ceil(pi n)"
        return (Contraction(delta, formula, _SHARP, True, Confidence.DERIVED),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        means = Field.floats("means", 2, dtype)
        indices, signs = Field("indices", d, index_bits(d)), Field("signs", d, 1)
        return (means, Field("count", 1, index_bits(d + 1)), indices, signs)

    def code(self, d: int, dtype: torch.dtype) -> Code:
        columns = (Column("indices", index_bits(d), place_type(d)), Column("signs", 1, torch.uint8))
        return Lists((Field.floats("means", 2, dtype),), (Records(columns, d),))

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        if not by_torch(x):
            share = torch.tensor(_shares(self.proportion, x.shape[-1]))
            marks = top_values.both_sides(x, share)
            entries, side = listed(marks, marks)
            means = top_values.means_of_sides(x, marks).to(x.dtype)
            return means, entries.count, entries.positions, side.clamp_(min=1).sub_(1)
        above, below = (_largest(side, self.proportion) for side in (x, -x))
        means = torch.cat([_mean(x, above), _mean(x, below)], -1).to(x.dtype)
        entries = entries_of(above | below)
        return means, entries.count, entries.positions, entries.pick(below)

    def listed(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> ListedRows:
        means, count, positions, negative = symbols
        both = torch.cat((means[..., :1], -means[..., 1:]), -1)
        return ListedRows(count, positions, from_codebook(negative.to(torch.uint8), both))

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        lengths = (2 * torch.finfo(dtype).bits, index_bits(d) + 1)
        own = numbers(dtype, ints=(*lengths, *_shares(self.proportion, d)))
        return RowPart(shares_of_sides, own, draws=False, work=16 * d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        """The longest message: 2 floats, and index and sign of pi d entries, rounded up by side."""
        return float(2 * float_bits + _most_sent(self.proportion, d) * (index_bits(d) + 1))

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        each = index_bits(sent.shape[-1]) + 1
        length = (2 * float_bits + (sent != 0).sum(-1) * each).to(torch.float64)
        return StatedLength(length, length)


_TRIED = 1 << 16  # ways to part a row that are tried at once


@lru_cache(maxsize=4096)
def _share(proportion: float, n: int) -> int:
    """ceil(pi n), rounding of the product forgiven; 1 at least where n > 0."""
    return max(1, math.ceil(round(proportion * n, 9))) if n else 0


@lru_cache(maxsize=64)
def _shares(proportion: float, d: int) -> tuple[int, ...]:
    """Those of n = 0, ..., d."""
    return tuple(_share(proportion, n) for n in range(d + 1))


@lru_cache(maxsize=16)
def _shares_on(proportion: float, d: int, device: torch.device) -> Tensor:
    """Those ``[d + 1]`` (int64) on a device, where the host does not look how many are positive."""
    return put(torch.tensor(_shares(proportion, d)), device)


@lru_cache(maxsize=4096)
def _most_sent(proportion: float, d: int) -> int:
    """Entries of the longest message, over all ways to part d values by sign.

    No two sides have more than ceil(pi d) + 1, so that long rows need few ways to be tried.
    """
    limit, most, first = _share(proportion, d) + 1, 0, 0
    while first <= d // 2 and most < limit:
        side = np.arange(first, min(first + _TRIED, d // 2 + 1))
        both = sum(
            np.maximum(n > 0, np.ceil(np.round(proportion * n, 9))) for n in (side, d - side)
        )
        most, first = max(most, int(np.max(both))), first + _TRIED
    return most


def _largest(x: Tensor, proportion: float) -> Tensor:
    """Mask of the largest ceil(pi n+) positive values of rows x."""
    positive = (x > 0).sum(-1, keepdim=True)
    if not x.is_cpu:
        return highest(x, _shares_on(proportion, x.shape[-1], x.device)[positive])
    most = [_share(proportion, n) for n in positive.flatten().tolist()]
    return highest(x, torch.tensor(most, device=x.device).reshape(positive.shape))


def _mean(x: Tensor, mask: Tensor) -> Tensor:
    """Mean magnitude ``[..., m, 1]`` (float64) over the mask; 0 where it is empty."""
    count = mask.sum(-1, keepdim=True).clamp_min(1)
    return sums(entries_of(mask).pick(x)) / count
