"""Sparse binary compression (Sattler, Wiedemann, Mueller, Samek 2018, arXiv:1805.08768)."""

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
    entries_of,
    from_gaps,
    gaps,
    golomb_lengths,
    signed_sums,
)
from algorithms.compressors.requirements import (
    kept,
    require_finite,
    require_rows,
    share_name,
)
from algorithms.compressors.sparse import SparseCompressor
from algorithms.core.key import Draws
from algorithms.core.row_slices import highest
from algorithms.kernels import top_values
from algorithms.kernels.compiled import by_torch
from algorithms.kernels.entries import place_type
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sparse_level_rows import sparse_binary
from theory import bits
from theory.claims import Claim, Confidence, Contraction, Source

_SHARP = Source("Sattler et al.", 2018, "1805.08768", "derived here: extremes of a polytope")


@final
@dataclass(frozen=True)
class SBC(SparseCompressor):
    r"""The k largest or the k smallest values, whichever lie farther out, all by their mean.

    $\mu^+$ is the mean of the k largest values, $\mu^-$ that of the k largest of -x. If
    $\mu^+ \ge \mu^-$, $C(x) = \mu^+$ at the k largest, else $-\mu^-$ at the k smallest, else zero.
    Deterministic. Message: the signed mean, then k distances to the next position in Golomb's code.

    $\|C(x) - x\|^2 = \|x\|^2 - k \max(\mu^+, \mu^-)^2$. Proof of delta: with the larger mean
    equal to 1, the sorted rows with $\mu^\pm \le 1$ are a polytope (k < d), where the square norm,
    convex, is largest at a vertex. A vertex has two values at most: all 1, or j of u above d - j of
    w with $\mu^+ = \mu^- = 1$. delta = k / (largest of these d square norms), attained; for
    2k <= d it is k/((2k - 1)^2 + d - 1), at (2k - 1, -1, ..., -1). With k = d > 1 there is none:
    the mean of a row may be zero.

    Raises:
        ValueError: from :meth:`claims` and :meth:`encode`, k = d > 1.
    """

    properties: ClassVar[frozenset[Property]] = frozenset({Property.SCALE, Property.PERMUTATION})

    k: int | float

    @property
    def name(self) -> str:
        return f"SBC({share_name(self.k)})"

    def kept(self, d: int) -> int:
        """Number of coordinates sent.

        Raises:
            ValueError: k does not fit d.
        """
        k = kept(self.k, d)
        if k == d > 1:
            raise ValueError(f"k must lie below d, got k={k} with d={d}")
        return k

    def claims(self, d: int) -> tuple[Claim, ...]:
        delta = _quality(self.kept(d), d)
        formula = "k over the largest vertex"
        return (Contraction(delta, formula, _SHARP, True, Confidence.DERIVED),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        gap = Field("gaps", self.kept(d), 32)
        return (Field.floats("mean", 1, dtype), Field("count", 1, 32), gap)

    def code(self, d: int, dtype: torch.dtype) -> Code:
        k = self.kept(d)
        columns = (Column("gaps", bits.golomb_width(k / d), place_type(d), golomb=True),)
        return Lists((Field.floats("mean", 1, dtype),), (Records(columns, k),))

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        k = self.kept(x.shape[-1])
        top, bottom, high, low = _both_extremes(x, k)
        up = high >= low
        mean = torch.where(up, high, -low).to(x.dtype)
        require_finite(mean, x, self.name)
        chosen = torch.where(up, top, bottom)
        entries = Entries(torch.full_like(chosen[..., :1], k), chosen)
        return mean, entries.count, gaps(entries)

    def listed(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> ListedRows:
        mean, count, distances = symbols
        entries = from_gaps(count, distances)
        return ListedRows(count, entries.positions, mean.expand(distances.shape))

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        k = self.kept(d)
        ints = (torch.finfo(dtype).bits, k, bits.golomb_width(k / d))
        return RowPart(sparse_binary, numbers(dtype, ints=ints), draws=False, work=16 * d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        """Length of the longest message for rows of d numbers [bits]."""
        return float(float_bits + bits.golomb_positions_most(d, self.kept(d)))

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        return golomb_lengths(sent, self.kept(sent.shape[-1]), float_bits)


def _both_extremes(x: Tensor, k: int) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """Indices of the k largest and of the k smallest, and the means of x and of -x there."""
    if by_torch(x):
        top, high = _extremes(x, k)
        bottom, low = _extremes(-x, k)
    else:
        top, bottom, means = top_values.extremes(x, k)
        high, low = means[..., :1], means[..., 1:]
    return top, bottom, high, low


def _extremes(x: Tensor, k: int) -> tuple[Tensor, Tensor]:
    """Indices ``[..., m, k]`` of the k largest values, ascending, and their mean (float64)."""
    count = torch.full_like(x[..., :1], k, dtype=torch.int64)
    chosen = entries_of(highest(x, count), k).positions
    return chosen, signed_sums(x.gather(-1, chosen.to(torch.int64))) / k


def _quality(k: int, d: int) -> float:
    """k over the largest square norm of a row whose larger mean is 1."""
    largest = float(d)
    for j in range(1, d):
        above, below = min(j, k), min(d - j, k)
        u, w = _vertex(k, above, below)
        largest = max(largest, j * u * u + (d - j) * w * w)
    return k / largest


def _vertex(k: int, above: int, below: int) -> tuple[float, float]:
    """u and w with above u + (k - above) w = k and (k - below) u + below w = -k."""
    determinant = above * below - (k - above) * (k - below)
    return k * (k + below - above) / determinant, -k * (k + above - below) / determinant
