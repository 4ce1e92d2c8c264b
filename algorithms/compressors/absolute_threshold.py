"""Gradient dropping by one absolute threshold (Aji, Heafield 2017, arXiv:1704.05021)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.compressors.base import Property
from algorithms.compressors.entries import Entries, all_of
from algorithms.compressors.masked import MaskCompressor
from algorithms.compressors.requirements import count_formula, kept, share_name
from algorithms.core.key import Draws, drawn_lots
from algorithms.core.row_slices import row_slices
from algorithms.kernels import selection
from algorithms.kernels.compiled import by_torch
from algorithms.kernels.entries import place_type
from algorithms.kernels.mask_to_indices import down_to, nonzero
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sparsifier_rows import sampled_threshold, top_count
from theory import bits
from theory.claims import Claim, Confidence, Contraction, Source

_SHARP = Source("Aji, Heafield", 2017, "1704.05021", "derived here: mean of an order statistic")


@final
@dataclass(frozen=True)
class AbsoluteThreshold(MaskCompressor):
    r"""Keep what lies at or above one threshold on |x_j|, found in a sample of the coordinates.

    ``keep`` = 1 - R is the rate wanted (the paper drops R = 99 %), ``sample`` how many coordinates
    the threshold is found in (the paper: 0.1 % of them), drawn without replacement; None: all of
    them, the exact quantile, which is top-k. The threshold is the r-th largest of the s sampled
    magnitudes, r = ceil(keep s). Global on the row; local, layer by layer, inside
    :class:`~algorithms.compressors.layerwise.LayerWise`. Of equal magnitudes the lower index counts
    as the larger; zeros are never sent.

    Proof of delta = r (d + 1) / (d (s + 1)), r/d for s = d: what is kept are the N largest
    magnitudes, so the error is at most (1 - N/d) ||x||^2, with equality where all are equal; and
    N, the rank in d of the r-th of a sample of s, has mean r (d + 1) / (s + 1).
    """

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.PERMUTATION}
    )

    keep: int | float
    sample: int | float | None = None

    indices_sent = True
    factor = 1.0

    @property
    def name(self) -> str:
        sampled = "" if self.sample is None else f", sample {share_name(self.sample)[2:]}"
        return f"absolute threshold({share_name(self.keep)}{sampled})"

    def _ranks(self, d: int) -> tuple[int, int]:
        """Number of coordinates sampled, and the rank among them that is the threshold."""
        s = d if self.sample is None else kept(self.sample, d, "sample")
        return s, kept(self.keep, s, "keep")

    def claims(self, d: int) -> tuple[Claim, ...]:
        looked_at = "d" if self.sample is None else count_formula(self.sample, "sample")
        rank = count_formula(self.keep, "keep", "s")
        formula = f"r(d+1)/(d(s+1)), s = {looked_at}, r = {rank}"
        return (Contraction(self._expected(d) / d, formula, _SHARP, True, Confidence.DERIVED),)

    def _expected(self, d: int) -> float:
        """Expected number of entries at or above the threshold, r (d + 1) / (s + 1)."""
        s, rank = self._ranks(d)
        return rank * (d + 1) / (s + 1)

    def mask(self, x: Tensor, draws: Draws) -> Tensor:
        d = x.shape[-1]
        s, rank = self._ranks(d)
        if s == d:
            chosen = selection.largest(x, rank)
        else:
            sampled = drawn_lots(draws, d, s)
            chosen = sampled.gather(-1, selection.largest(x.gather(-1, sampled), rank))
        return _down_to(x, chosen)

    def chosen(self, x: Tensor, draws: Draws) -> tuple[Entries, Tensor]:
        s, rank = self._ranks(x.shape[-1])
        if s == x.shape[-1] and not by_torch(x):
            places = selection.largest(x, rank).to(place_type(s))
            entries = Entries(all_of(places), places)
            values = entries.pick(x)
            if bool(nonzero(values).all()):
                return entries, values
        return super().chosen(x, draws)

    def mask_again(self, d: int, draws: Draws) -> Tensor:
        raise TypeError(f"{self.name} chooses by value; its indices must be sent")

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        s, rank = self._ranks(d)
        head = self.lengths(d, dtype)
        if s == d:
            own = numbers(dtype, ints=(*head, rank, 0))
            return RowPart(top_count, own, draws=False, work=8 * d)
        own = numbers(dtype, ints=(*head, s, rank))
        return RowPart(sampled_threshold, own, work=24 * d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        """The expected length where no coordinate is zero, a bound on it elsewhere."""
        return self._expected(d) * (float_bits + bits.index_bits(d))


def _down_to(x: Tensor, chosen: Tensor) -> Tensor:
    """Mask of what is at least as large as the least of ``chosen`` (ascending indices)."""
    threshold = torch.full_like(x[..., :1], torch.inf)
    last = torch.full_like(chosen[..., :1], -1)
    for here in row_slices(chosen.shape[-1]):
        places = chosen[..., here]
        held = x.gather(-1, places).abs()
        least = torch.minimum(threshold, held.amin(-1, keepdim=True))
        last = torch.where(least < threshold, -1, last)  # of what was the least before
        tied = torch.where(held == least, places, -1).amax(-1, keepdim=True)
        threshold, last = least, torch.maximum(last, tied)
    if not by_torch(x):
        return down_to(*(v.reshape(-1, v.shape[-1]) for v in (x, threshold, last))).view(x.shape)
    mask = torch.empty(x.shape, dtype=torch.bool, device=x.device)
    for here in row_slices(x.shape[-1]):
        mask[..., here] = down_to(x[..., here], threshold, last - here.start)
    return mask
