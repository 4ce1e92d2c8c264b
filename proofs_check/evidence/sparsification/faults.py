"""Faults planted in rand-k, top-k, masks, drop-out, thresholds, Golomb gaps and truncations."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.absolute_threshold import AbsoluteThreshold
from algorithms.compressors.base import Compressor, Shapes, StatedLength
from algorithms.compressors.entries import entries_of
from algorithms.compressors.gaussian_k import GaussianK
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.random_mask import RandomMask
from algorithms.compressors.requirements import kept
from algorithms.compressors.row_top_k import RowTopK
from algorithms.compressors.sbc import SBC
from algorithms.compressors.stc import STC
from algorithms.compressors.top_k import TopK
from algorithms.compressors.wangni import Wangni
from algorithms.core.key import Draws
from algorithms.optimizers.truncation import truncate
from algorithms.transforms.base import Transform
from proofs_check.compressors.check import EXACT, MONTE_CARLO, WORST_CASE
from proofs_check.compressors.lengths import LENGTHS
from proofs_check.evidence.sparsification.closed_forms_selection import (
    nearest,
    pulled_as_printed,
    weights_are_truncated,
)
from proofs_check.methods.faulty.faulty_method import wrapped
from proofs_check.mutants.method_mutant import (
    FaultyCompressor,
    MethodMutant,
    OperatorMutant,
    fault,
    wrong_encoding,
)


@final
@dataclass(frozen=True)
class BiasedRandK(FaultyCompressor):
    """Rand-k that forgets the factor d/k and still claims to be unbiased."""

    right: RandK

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return RandK(self.right.k, scaled=False).encode(x, draws)


@final
@dataclass(frozen=True)
class SignedTopK(FaultyCompressor):
    """Top-k of the signed values: large negative coordinates are dropped."""

    right: TopK

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        order = x.sort(dim=-1, descending=True, stable=True).indices
        indices = order[..., : self.right.kept(x.shape[-1])].sort(dim=-1).values
        return x.gather(-1, indices), indices


@final
@dataclass(frozen=True)
class SmallestRows(FaultyCompressor):
    """Row top-k that sends the rows of the smallest norms."""

    right: RowTopK

    def for_shapes(self, shapes: Shapes) -> Compressor:
        return replace(self, right=replace(self.right, shape=shapes[0]))

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        count, width = self.right.matrix(x.shape[-1])
        table = x.reshape(*x.shape[:-1], count, width)
        order = table.norm(dim=-1).sort(dim=-1, stable=True).indices
        chosen = order[..., : kept(self.right.k, count)].sort(dim=-1).values
        places = chosen[..., None].expand(*chosen.shape, width)
        return table.gather(-2, places).reshape(*x.shape[:-1], -1), chosen


@final
@dataclass(frozen=True)
class FreeIndices(FaultyCompressor):
    """Top-k that states k values and forgets that their indices cross too."""

    right: TopK

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.right.encode(x, draws)

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        return super(FaultyCompressor, self).stated_lengths(sent, float_bits)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return float(self.right.kept(d) * float_bits)


@final
@dataclass(frozen=True)
class NextRank(FaultyCompressor):
    """Top-k that sends the entry of rank k + 1 in place of that of rank k."""

    right: TopK

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        k = self.right.kept(x.shape[-1])
        order = x.abs().sort(dim=-1, descending=True, stable=True).indices
        ranks = [*range(k - 1), min(k, x.shape[-1] - 1)]
        indices = order[..., ranks].sort(dim=-1).values
        return x.gather(-1, indices), indices


@final
@dataclass(frozen=True)
class SpreadlessGaussianK(FaultyCompressor):
    """The threshold is the row's mean: its deviation is left out, and nothing is looked at."""

    right: GaussianK

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        entries = entries_of(x.abs() > x.mean(-1, keepdim=True).abs())
        return entries.count, entries.positions, entries.pick(x)


@final
@dataclass(frozen=True)
class TruncatedTransform(Transform):
    """T_1 of the gradient in place of the weights, as the survey prints it (erratum E29)."""

    @property
    def name(self) -> str:
        return "truncated gradients"

    def apply(self, g: Tensor, n: int) -> Tensor:
        return truncate(g, 0.01, 0.5)


@wrong_encoding("complemented mask", RandomMask(0.25), check=EXACT)
def complemented_mask(own: RandomMask, x: Tensor, draws: Draws) -> Symbols:
    """~mask of integers

    A mask of ones where coordinates are dropped, complemented as an integer: ~0 = -1.
    """
    kept = own.mask(x, draws)
    dropped = (~kept).to(torch.int64)
    entries = entries_of(kept)
    return entries.count, entries.pick(x * ~dropped)


@wrong_encoding("rand-k with replacement", RandK(0.5, send_indices=True), check=MONTE_CARLO)
def replacing_rand_k(own: RandK, x: Tensor, draws: Draws) -> Symbols:
    """indices drawn with replacement"""
    d = x.shape[-1]
    indices = draws.integers(d, own.kept(d)).sort(dim=-1).values
    return x.gather(-1, indices) * own.factor(d), indices


@wrong_encoding("signed threshold", AbsoluteThreshold(0.25), check=WORST_CASE)
def signed_threshold(own: AbsoluteThreshold, x: Tensor, draws: Draws) -> Symbols:
    """threshold on the signed values"""
    return own.encode(x.clamp_min(0), draws)


@wrong_encoding("drop-out without 1/p", Wangni(1.0), check=EXACT)
def unscaled_wangni(own: Wangni, x: Tensor, draws: Draws) -> Symbols:
    """forgets 1/p

    What is kept goes out as x_j, not as x_j / p_j.
    """
    kept = draws.uniform(x.shape[-1], torch.float64) < own.probabilities(x)
    entries, none = entries_of(kept), entries_of(torch.zeros_like(kept))
    signs = torch.zeros_like(none.positions)
    return (
        own.levels(x), entries.count, entries.positions, entries.pick(x),
        none.count, none.positions, signs,
    )  # fmt: skip


@wrong_encoding("shifted Golomb gaps", STC(0.25), check=EXACT)
def shifted_s_t_c(own: STC, x: Tensor, draws: Draws) -> Symbols:
    """gaps counted from 0: off by one"""
    mean, count, distances, signs = own.encode(x, draws)
    first = (distances[..., :1] - 1).clamp_min(1)
    return mean, count, torch.cat([first, distances[..., 1:]], -1), signs


@wrong_encoding("SBC by extremes", SBC(0.25), check=WORST_CASE)
def heavier_s_b_c(own: SBC, x: Tensor, draws: Draws) -> Symbols:
    """keeps the side of the largest value"""
    up = x.amax(-1, keepdim=True) >= -x.amin(-1, keepdim=True)
    mean, count, distances = own.encode(torch.where(up, x, -x).clamp_min(0), draws)
    return torch.where(up, mean, -mean), count, distances


MUTANTS: tuple[OperatorMutant, ...] = (
    OperatorMutant("biased rand-k", BiasedRandK(RandK(0.25)), "rand-k forgets d/k", MONTE_CARLO),
    OperatorMutant("signed top-k", SignedTopK(TopK(0.25)), "top-k of signed values", WORST_CASE),
    OperatorMutant(
        "top-k with free indices", FreeIndices(TopK(0.25)), "indices are not counted", LENGTHS
    ),
)  # fmt: skip

METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "truncated gradients", "T1 acts on gradients, as the survey prints it (E29)",
        weights_are_truncated, pulled_as_printed,
    ),
    fault(
        "top-k of the next rank", "the entry of rank k + 1 is sent in place of that of rank k",
        nearest, wrapped(NextRank, TopK),
    ),
)  # fmt: skip
