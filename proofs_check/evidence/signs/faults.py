"""Faults planted in sign, one-bit and low-precision operators, and in majority votes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Symbols
from algorithms.compressors.dorefa import DoReFa
from algorithms.compressors.one_bit import OneBit
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.three_lc import ThreeLC
from algorithms.core.key import Draws
from algorithms.memories.base import NoMemory
from proofs_check.compressors.check import EXACT, MONTE_CARLO, WORST_CASE
from proofs_check.compressors.lengths import LENGTHS
from proofs_check.evidence.signs.closed_forms import second_counterexample
from proofs_check.mutants.method_mutant import MethodMutant, fault
from proofs_check.mutants.operator_mutant import FaultyCompressor, OperatorMutant


@final
@dataclass(frozen=True)
class ForgottenScale(FaultyCompressor):
    """Scaled sign that sends 1 for its scale."""

    right: ScaledSign

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        scale, negative = self.right.encode(x, draws)
        return torch.ones_like(scale), negative


@final
@dataclass(frozen=True)
class OneMean(FaultyCompressor):
    """1-bit with the mean of all entries for both sides."""

    right: OneBit

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        means, negative = self.right.encode(x, draws)
        return x.mean(-1, keepdim=True).expand(means.shape), negative


@final
@dataclass(frozen=True)
class UnditheredDoReFa(FaultyCompressor):
    """DoReFa without its noise: rounds to the nearest and claims to be unbiased."""

    right: DoReFa

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        scale = x.abs().amax(-1, keepdim=True)
        top = (1 << self.right.k) - 1
        place = torch.where(scale > 0, (x / scale + 1) / 2 * top, top / 2)
        return scale, (place + 0.5).floor().clamp(0, top).to(torch.uint8)


@final
@dataclass(frozen=True)
class SparseThreeLC(FaultyCompressor):
    """3LC whose sparsity multiplier is 1.9 while it claims that of 1."""

    right: ThreeLC

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return ThreeLC(1.9).encode(x, draws)


@final
@dataclass(frozen=True)
class ThreeValuedSign(FaultyCompressor):
    """Scaled sign with sgn(0) = 0, which no one-bit symbol can say."""

    right: ScaledSign

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        scale, negative = self.right.encode(x, draws)
        return scale, torch.where(x == 0, 2, negative)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        scale, code = symbols
        return torch.where(code == 2, 0, torch.where(code == 1, -scale, scale))


MUTANTS: tuple[OperatorMutant, ...] = (
    OperatorMutant(
        "sign without scale", ForgottenScale(ScaledSign()), "the scale is not sent", MONTE_CARLO
    ),
    OperatorMutant("1-bit with one mean", OneMean(OneBit()), "one mean for both signs", WORST_CASE),
    OperatorMutant(
        "DoReFa without noise", UnditheredDoReFa(DoReFa(2)), "rounds to the nearest", EXACT
    ),
    OperatorMutant(
        "3LC with another multiplier", SparseThreeLC(ThreeLC(1.0)), "s = 1.9 posing as s = 1",
        WORST_CASE,
    ),
    OperatorMutant(
        "three-valued sign", ThreeValuedSign(ScaledSign()), "sgn(0) = 0 in one bit", LENGTHS
    ),
)  # fmt: skip

METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "scaled sign without memory", "error feedback left out",
        second_counterexample, NoMemory(),
    ),
)  # fmt: skip
