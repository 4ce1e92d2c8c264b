"""Faults planted in QSGD, TernGrad, natural compression, dithering, rotation and atoms."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.atomo import Atomo
from algorithms.compressors.centred import Centred
from algorithms.compressors.elias_qsgd import EliasQSGD
from algorithms.compressors.entries import entries_of
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.natural_dithering import NaturalDithering
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rotated import Rotated
from algorithms.compressors.spectral_atomo import SpectralAtomo
from algorithms.compressors.terngrad import TernGrad
from algorithms.core.key import Draws
from algorithms.kernels import rounding, row_norms
from algorithms.memories.error_feedback import ErrorFeedback
from proofs_check.compressors.check import EXACT, MONTE_CARLO, WORST_CASE
from proofs_check.compressors.lengths import LENGTHS
from proofs_check.evidence.auxiliary.error_feedback import virtual_iterate
from proofs_check.instruments.mean_estimation_setting import normal_rows
from proofs_check.methods.faulty.methods import ForgetfulFeedback
from proofs_check.mutants.method_mutant import (
    FaultyCompressor,
    MethodMutant,
    OperatorMutant,
    wrong_encoding,
)


@final
@dataclass(frozen=True)
class UnturnedRotation(FaultyCompressor):
    """A rotation that the receiver does not invert."""

    right: Rotated

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.right.encode(x, draws)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        turned = self.right.inner.decode(symbols, symbols[-1].shape[-1], dtype, draws)
        return turned[..., :d].contiguous()


@final
@dataclass(frozen=True)
class UncappedAtomo(FaultyCompressor):
    """p_j = s |x_j| / ||x||_1 without the cap: what should be kept for sure is scaled down."""

    right: Atomo

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        s = self.right.budget
        assert isinstance(s, int)
        level = x.abs().sum(-1, keepdim=True) / s
        taken = draws.uniform(x.shape[-1], torch.float64) < x.abs() / level
        none = torch.zeros_like(taken)
        one, other = entries_of(none), entries_of(taken)
        signs = other.pick((x < 0).to(torch.int64))
        return (
            level, one.count, one.positions, one.pick(x), other.count, other.positions, signs,
        )  # fmt: skip


@final
@dataclass(frozen=True)
class PrintedNatural(FaultyCompressor):
    """Natural compression with p = 2^(ceil - floor) / 2^ceil = 2^-floor, as printed (E9)."""

    right: NaturalCompression

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        mantissa, exponent = torch.frexp(x)
        down = torch.ldexp(torch.ones_like(x), 1 - exponent)
        uniforms = draws.uniform(x.shape[-1], x.dtype)
        up = (uniforms >= down) & (mantissa.abs() != 0.5)
        power = torch.ldexp(torch.sign(x) * 0.5, exponent) * (1 + up.to(x.dtype))
        return (rounding.exponents(power, torch.zeros_like(power)),)


def _codes(level: Tensor, x: Tensor, width: int) -> Tensor:
    return level.to(torch.int64) | ((x < 0).to(torch.int64) << width)


@final
@dataclass(frozen=True)
class SignsAlone(FaultyCompressor):
    """Random signs without the Hadamard matrix: no coordinate is mixed with another."""

    right: Rotated

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.right.inner.encode(x * self._signs(x, draws), draws.fold("levels"))

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        levels = self.right.inner.decode(symbols, d, dtype, draws.fold("levels"))
        return levels * self._signs(levels, draws)

    def _signs(self, x: Tensor, draws: Draws) -> Tensor:
        return (1 - 2 * draws.fold("rotation").integers(2, x.shape[-1])).to(x.dtype)


@final
@dataclass(frozen=True)
class Shuffled(FaultyCompressor):
    """Triplets of the shuffled matrix: its entries are there, its low rank is not."""

    right: SpectralAtomo

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.right.encode(x[..., _order(x.shape[-1])], draws)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return self.right.decode(symbols, d, dtype, draws)[..., _order(d).argsort()]


def _order(d: int) -> Tensor:
    """Places 0 to d - 1 in an order of chance, always the same."""
    return normal_rows(1, d, "shuffled")[0].argsort()


@wrong_encoding("centre counted twice", Centred(0.25, optimal=False), check=EXACT)
def off_centre(own: Centred, x: Tensor, draws: Draws) -> Symbols:
    """mu is added again

    Randomised mean that divides by p without keeping the centre's share.
    """
    centre, count, positions, values = own.encode(x, draws)
    return centre, count, positions, torch.where(values != 0, values + centre, values)


@wrong_encoding("natural dithering at twice its scale", NaturalDithering(4), check=MONTE_CARLO)
def even_dithering(own: NaturalDithering, x: Tensor, draws: Draws) -> Symbols:
    """levels that are not normalised (E10)"""
    scale, codes = own.encode(x, draws)
    return scale * 2, codes


@wrong_encoding("Elias gaps off by one", EliasQSGD(4), check=LENGTHS)
def shifted_gaps(own: EliasQSGD, x: Tensor, draws: Draws) -> Symbols:
    """distances from 0

    Elias-coded QSGD whose distances start from 0 instead of -1: the first is one short.
    """
    scale, count, gaps, negative, level = own.encode(x, draws)
    short = gaps.clone()
    short[..., :1] = (short[..., :1] - 1).clamp_min(0)
    return scale, count, short, negative, level


@wrong_encoding("flipped QSGD", QSGD(2), check=EXACT)
def flipped_qsgd(own: QSGD, x: Tensor, draws: Draws) -> Symbols:
    """QSGD rounds up with probability 1 - p"""
    scale, s = own.scale(x), own.s
    place = torch.where(scale > 0, x.abs() / scale * s, 0)
    below = place.floor()
    uniforms = draws.uniform(x.shape[-1], x.dtype)
    level = below + ((uniforms >= place - below) & (place > below)).to(x.dtype)
    return scale, _codes(level, x, own.width)


@wrong_encoding("QSGD without zero", QSGD(4), check=EXACT)
def no_zero_qsgd(own: QSGD, x: Tensor, draws: Draws) -> Symbols:
    """QSGD with 0 < l < s as printed (E8)"""
    scale, s = own.scale(x), own.s
    place = torch.where(scale > 0, x.abs() / scale * s, 0)
    below = place.floor().clamp(1, max(1, s - 1))
    uniforms = draws.uniform(x.shape[-1], x.dtype)
    level = below + (uniforms < place - below).to(x.dtype)
    return scale, _codes(level, x, own.width)


@wrong_encoding("Euclidean TernGrad", TernGrad(), check=WORST_CASE)
def euclidean_terngrad(own: TernGrad, x: Tensor, draws: Draws) -> Symbols:
    """TernGrad scaled by the Euclidean norm"""
    scale = row_norms.norms(x)
    uniforms = draws.uniform(x.shape[-1], x.dtype)
    return scale, rounding.levels(x, scale, 1, uniforms, own.width)


@wrong_encoding("tilted TernGrad", TernGrad(), check=EXACT)
def tilted_terngrad(own: TernGrad, x: Tensor, draws: Draws) -> Symbols:
    """rounds up with probability p/0.99"""
    scale = own.scale(x)
    uniforms = 0.99 * draws.uniform(x.shape[-1], x.dtype)
    return scale, rounding.levels(x, scale, 1, uniforms, own.width)


MUTANTS: tuple[OperatorMutant, ...] = (
    OperatorMutant(
        "rotation left in", UnturnedRotation(Rotated()), "the receiver does not turn back",
        MONTE_CARLO,
    ),
    OperatorMutant(
        "ATOMO without a cap", UncappedAtomo(Atomo(2)), "probabilities above 1", EXACT
    ),
    OperatorMutant(
        "printed natural compression",
        PrintedNatural(NaturalCompression()),
        "natural compression with p(t) as printed (E9)",
        EXACT,
    ),
)  # fmt: skip

METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    MethodMutant(
        "EF without its old residual, virtual iterate", "the same on noisy runs of four workers",
        lambda: virtual_iterate("qsgd", ForgetfulFeedback(), QSGD(4)),
        lambda: virtual_iterate("qsgd", ErrorFeedback(), QSGD(4)),
    ),
)  # fmt: skip
