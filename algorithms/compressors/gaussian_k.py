"""Gaussian-k (Shi, Chu, Cheung, See 2019, arXiv:1911.08772, Algorithm 1)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from statistics import NormalDist
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.compressors.base import Property
from algorithms.compressors.entries import signed_sums
from algorithms.compressors.masked import MaskCompressor
from algorithms.compressors.requirements import kept, share_name
from algorithms.core.key import Draws
from algorithms.core.row_slices import SLICE, mask_by_slices, row_slices
from algorithms.kernels import gaussian, row_norms
from algorithms.kernels.compiled import by_torch
from algorithms.kernels.mask_to_indices import above
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sparsifier_rows import gaussian_k
from theory import bits
from theory.claims import Claim, Confidence, Contraction, NoConstant, Source

_PAPER = Source("Shi et al.", 2019, "1911.08772", "Algorithm 1")
_LOOKS = 4


@final
@dataclass(frozen=True)
class GaussianK(MaskCompressor):
    r"""Top-k by a threshold that a Gaussian would have: one pass in place of a selection.

    The threshold starts at $\bar x + \hat\sigma\,\Phi^{-1}(1 - k/d)$ with mean and standard
    deviation of the row. Four times at most the coordinates with $|x_j|$ above it are counted: with
    fewer than 2k/3 it is halved, with more than 4k/3 it is raised by half, else the search ends.
    What the last count saw is sent.

    No constant: equal magnitudes lie all above or all below a threshold, and the four looks end
    below: a flat row sends nothing. Bell-shaped rows send about k (measured).

    :meth:`claims` raises ValueError where 3d/4 <= k < d.
    """

    properties: ClassVar[frozenset[Property]] = frozenset({Property.SCALE, Property.PERMUTATION})

    k: int | float

    indices_sent = True
    factor = 1.0

    @property
    def name(self) -> str:
        return f"Gaussian-k({share_name(self.k)})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        k = kept(self.k, d)
        if k == d:
            return (Contraction(1.0, "1", _PAPER, True, Confidence.DERIVED),)
        if 4 * k >= 3 * d:
            raise ValueError(f"k must lie below 3d/4 or be d, got k={k} with d={d}")
        why = "a flat row is never within 2k/3 and 4k/3, and sends nothing"
        return (NoConstant(why, _PAPER, Confidence.DERIVED, biased_at=(1.0,), expands_at=(1.0,)),)

    def mask(self, x: Tensor, draws: Draws) -> Tensor:
        k = kept(self.k, x.shape[-1])
        threshold = self.first_threshold(x)
        if not by_torch(x):
            return above(x, gaussian.looked_at(x, threshold, k, _LOOKS))
        mask = _above(x, threshold)
        for _ in range(_LOOKS - 1):
            count = mask.sum(-1, keepdim=True)
            few, many = 3 * count < 2 * k, 3 * count > 4 * k
            threshold = threshold * torch.where(few, 0.5, torch.where(many, 1.5, 1.0))
            mask = _above(x, threshold)
        return mask

    def first_threshold(self, x: Tensor) -> Tensor:
        """The threshold ``[..., m, 1]`` (float64) that the search starts from."""
        d = x.shape[-1]
        k = kept(self.k, d)
        if k == d:
            return torch.full_like(x[..., :1], -torch.inf, dtype=torch.float64)
        if d <= SLICE and not by_torch(x):
            middle, away = gaussian.moments(x)
            return middle + away / math.sqrt(d) * NormalDist().inv_cdf(1 - k / d)
        parts = [x[..., here].to(torch.float64) for here in row_slices(d)]
        centre = torch.as_tensor(sum(signed_sums(part) for part in parts)) / d
        apart = [row_norms.norms(part - centre) for part in parts]
        deviation = row_norms.norms(torch.cat(apart, -1)) / math.sqrt(d)
        return centre + deviation * NormalDist().inv_cdf(1 - k / d)

    def mask_again(self, d: int, draws: Draws) -> Tensor:
        raise TypeError(f"{self.name} chooses by value; its indices must be sent")

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart | None:
        k = kept(self.k, d)
        if d > SLICE:  # whose moments are summed slice by slice
            return None
        scale = (math.sqrt(d), NormalDist().inv_cdf(1 - k / d)) if k < d else ()
        own = numbers(dtype, ints=(*self.lengths(d, dtype), k, _LOOKS), reals=scale)
        return RowPart(gaussian_k, own, draws=False, work=8 * d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        """The longest message: all d entries."""
        return bits.sparse(d, d, float_bits)


def _above(x: Tensor, threshold: Tensor) -> Tensor:
    return mask_by_slices(x, lambda part: part.abs().to(torch.float64) > threshold)
