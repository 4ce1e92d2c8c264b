"""Deliberately wrong operators: each claims what the right one claims, and the checks refute it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Layout, Symbols
from algorithms.compressors.base import Compressor, Stated
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.terngrad import TernGrad
from algorithms.compressors.top_k import TopK
from algorithms.kernels import rounding, rows
from algorithms.key import Draws
from proofs_check.compressors.check import EXACT, MONTE_CARLO, WORST_CASE
from proofs_check.compressors.lengths import LENGTHS
from theory.claims import Claim


class Impostor(Compressor):
    """Claims, layout and closed form of the right operator; members encode wrongly."""

    right: Compressor

    @property
    def name(self) -> str:
        return f"{type(self).__name__} posing as {self.right.name}"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return self.right.claims(d)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return self.right.layout(d, dtype)

    def code(self, d: int, dtype: torch.dtype) -> Code:
        return self.right.code(d, dtype)

    def stated_lengths(self, sent: Tensor, float_bits: int) -> Stated:
        return self.right.stated_lengths(sent, float_bits)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return self.right.decode(symbols, d, dtype, draws)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return self.right.stated_bits(d, float_bits)


@final
@dataclass(frozen=True)
class BiasedRandK(Impostor):
    """Rand-k that forgets the factor d/k and still claims to be unbiased."""

    right: RandK

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return RandK(self.right.k, scaled=False).encode(x, draws)


@final
@dataclass(frozen=True)
class FlippedQSGD(Impostor):
    """QSGD that goes up with the probability of going down."""

    right: QSGD

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        scale, s = self.right.scale(x), self.right.s
        place = torch.where(scale > 0, x.abs() / scale * s, 0)
        below = place.floor()
        uniforms = draws.uniform(x.shape[-1], x.dtype)
        level = below + ((uniforms >= place - below) & (place > below)).to(x.dtype)
        return scale, _codes(level, x, self.right.width)


@final
@dataclass(frozen=True)
class NoZeroQSGD(Impostor):
    """QSGD with levels 0 < l < s, as the survey prints it (erratum E8): nothing rounds to zero."""

    right: QSGD

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        scale, s = self.right.scale(x), self.right.s
        place = torch.where(scale > 0, x.abs() / scale * s, 0)
        below = place.floor().clamp(1, max(1, s - 1))
        uniforms = draws.uniform(x.shape[-1], x.dtype)
        level = below + (uniforms < place - below).to(x.dtype)
        return scale, _codes(level, x, self.right.width)


@final
@dataclass(frozen=True)
class SignedTopK(Impostor):
    """Top-k of the signed values: large negative coordinates are dropped."""

    right: TopK

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        order = x.sort(dim=-1, descending=True, stable=True).indices
        indices = order[..., : self.right.kept(x.shape[-1])].sort(dim=-1).values
        return x.gather(-1, indices), indices


@final
@dataclass(frozen=True)
class PrintedNatural(Impostor):
    """Natural compression with p = 2^(ceil - floor) / 2^ceil = 2^-floor, as printed (E9)."""

    right: NaturalCompression

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        mantissa, exponent = torch.frexp(x)
        down = torch.ldexp(torch.ones_like(x), 1 - exponent)
        uniforms = draws.uniform(x.shape[-1], x.dtype)
        up = (uniforms >= down) & (mantissa.abs() != 0.5)
        power = torch.ldexp(torch.sign(x) * 0.5, exponent) * (1 + up.to(x.dtype))
        return (rounding.exponents(power, torch.zeros_like(power)),)


@final
@dataclass(frozen=True)
class EuclideanTernGrad(Impostor):
    """TernGrad scaled by the Euclidean norm: unbiased still, but with QSGD's variance."""

    right: TernGrad

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        scale = rows.norms(x)
        uniforms = draws.uniform(x.shape[-1], x.dtype)
        return scale, rounding.levels(x, scale, 1, uniforms, self.right.width)


@final
@dataclass(frozen=True)
class ThreeValuedSign(Impostor):
    """Scaled sign with sgn(0) = 0, which no one-bit symbol can say."""

    right: ScaledSign

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        scale, negative = self.right.encode(x, draws)
        return scale, torch.where(x == 0, 2, negative)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        scale, code = symbols
        return torch.where(code == 2, 0, torch.where(code == 1, -scale, scale))


@final
@dataclass(frozen=True)
class FreeIndices(Impostor):
    """Top-k that states k values and forgets that their indices cross too."""

    right: TopK

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.right.encode(x, draws)

    def stated_lengths(self, sent: Tensor, float_bits: int) -> Stated:
        return super(Impostor, self).stated_lengths(sent, float_bits)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return float(self.right.kept(d) * float_bits)


@final
@dataclass(frozen=True)
class TiltedTernGrad(Impostor):
    """TernGrad whose uniforms stop at 0.99: a bias of one part in a hundred."""

    right: TernGrad

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        scale = self.right.scale(x)
        uniforms = 0.99 * draws.uniform(x.shape[-1], x.dtype)
        return scale, rounding.levels(x, scale, 1, uniforms, self.right.width)


def _codes(level: Tensor, x: Tensor, width: int) -> Tensor:
    return level.to(torch.int64) | ((x < 0).to(torch.int64) << width)


class OperatorMutant(NamedTuple):
    """A wrong operator, what was planted in it, and the check that must refute it.

    Attributes:
        name: what reports call it.
        mutant: the wrong operator.
    """

    name: str
    mutant: Compressor
    planted: str
    check: str


MUTANTS: tuple[OperatorMutant, ...] = (
    OperatorMutant("biased rand-k", BiasedRandK(RandK(0.25)), "rand-k forgets d/k", MONTE_CARLO),
    OperatorMutant(
        "flipped QSGD", FlippedQSGD(QSGD(2)), "QSGD rounds up with probability 1 - p", EXACT
    ),
    OperatorMutant(
        "QSGD without zero", NoZeroQSGD(QSGD(4)), "QSGD with 0 < l < s as printed (E8)", EXACT
    ),
    OperatorMutant("signed top-k", SignedTopK(TopK(0.25)), "top-k of signed values", WORST_CASE),
    OperatorMutant(
        "printed natural compression",
        PrintedNatural(NaturalCompression()),
        "natural compression with p(t) as printed (E9)",
        EXACT,
    ),
    OperatorMutant(
        "Euclidean TernGrad",
        EuclideanTernGrad(TernGrad()),
        "TernGrad scaled by the Euclidean norm",
        WORST_CASE,
    ),
    OperatorMutant(
        "three-valued sign", ThreeValuedSign(ScaledSign()), "sgn(0) = 0 in one bit", LENGTHS
    ),
    OperatorMutant(
        "top-k with free indices", FreeIndices(TopK(0.25)), "indices are not counted", LENGTHS
    ),
    OperatorMutant(
        "tilted TernGrad", TiltedTernGrad(TernGrad()), "rounds up with probability p/0.99", EXACT
    ),
)
