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
from proofs_check.mutants.method_mutant import (
    FaultyCompressor,
    MethodMutant,
    OperatorMutant,
    fault,
    wrong_encoding,
)


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
class ThreeValuedSign(FaultyCompressor):
    """Scaled sign with sgn(0) = 0, which no one-bit symbol can say."""

    right: ScaledSign

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        scale, negative = self.right.encode(x, draws)
        return scale, torch.where(x == 0, 2, negative)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        scale, code = symbols
        return torch.where(code == 2, 0, torch.where(code == 1, -scale, scale))


@wrong_encoding("sign without scale", ScaledSign(), check=MONTE_CARLO)
def forgotten_scale(own: ScaledSign, x: Tensor, draws: Draws) -> Symbols:
    """the scale is not sent

    Scaled sign that sends 1 for its scale.
    """
    scale, negative = own.encode(x, draws)
    return torch.ones_like(scale), negative


@wrong_encoding("1-bit with one mean", OneBit(), check=WORST_CASE)
def one_mean(own: OneBit, x: Tensor, draws: Draws) -> Symbols:
    """one mean for both signs"""
    means, negative = own.encode(x, draws)
    return x.mean(-1, keepdim=True).expand(means.shape), negative


@wrong_encoding("3LC with another multiplier", ThreeLC(1.0), check=WORST_CASE)
def sparse_three_l_c(own: ThreeLC, x: Tensor, draws: Draws) -> Symbols:
    """s = 1.9 posing as s = 1"""
    return ThreeLC(1.9).encode(x, draws)


MUTANTS: tuple[OperatorMutant, ...] = (
    OperatorMutant(
        "DoReFa without noise", UnditheredDoReFa(DoReFa(2)), "rounds to the nearest", EXACT
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
