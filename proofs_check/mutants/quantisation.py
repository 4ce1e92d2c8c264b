"""Faults planted in dithering, rotated and atomic operators."""

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
from algorithms.compressors.natural_dithering import NaturalDithering
from algorithms.compressors.rotated import Rotated
from algorithms.key import Draws
from proofs_check.compressors.check import EXACT, MONTE_CARLO
from proofs_check.compressors.lengths import LENGTHS
from proofs_check.mutants.operators import Impostor, OperatorMutant


@final
@dataclass(frozen=True)
class UnturnedRotation(Impostor):
    """A rotation that the receiver does not invert."""

    right: Rotated

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.right.encode(x, draws)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        turned = self.right.inner.decode(symbols, symbols[-1].shape[-1], dtype, draws)
        return turned[..., :d].contiguous()


@final
@dataclass(frozen=True)
class UncappedAtomo(Impostor):
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
class OffCentre(Impostor):
    """Randomised mean that divides by p without keeping the centre's share."""

    right: Centred

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        centre, count, positions, values = self.right.encode(x, draws)
        return centre, count, positions, torch.where(values != 0, values + centre, values)


@final
@dataclass(frozen=True)
class EvenDithering(Impostor):
    """Natural dithering on uniform levels, as a reader of unnormalised levels would (E10)."""

    right: NaturalDithering

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        scale, codes = self.right.encode(x, draws)
        return scale * 2, codes


@final
@dataclass(frozen=True)
class ShiftedGaps(Impostor):
    """Elias-coded QSGD whose distances start from 0 instead of -1: the first is one short."""

    right: EliasQSGD

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        scale, count, gaps, negative, level = self.right.encode(x, draws)
        short = gaps.clone()
        short[..., :1] = (short[..., :1] - 1).clamp_min(0)
        return scale, count, short, negative, level


MUTANTS: tuple[OperatorMutant, ...] = (
    OperatorMutant(
        "rotation left in", UnturnedRotation(Rotated()), "the receiver does not turn back",
        MONTE_CARLO,
    ),
    OperatorMutant(
        "ATOMO without a cap", UncappedAtomo(Atomo(2)), "probabilities above 1", EXACT
    ),
    OperatorMutant(
        "centre counted twice", OffCentre(Centred(0.25, optimal=False)), "mu is added again",
        EXACT,
    ),
    OperatorMutant(
        "natural dithering at twice its scale", EvenDithering(NaturalDithering(4)),
        "levels that are not normalised (E10)", MONTE_CARLO,
    ),
    OperatorMutant(
        "Elias gaps off by one", ShiftedGaps(EliasQSGD(4)), "distances from 0", LENGTHS
    ),
)  # fmt: skip
