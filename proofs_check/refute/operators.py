"""The worst operators that a claimed constant allows: linear, so that moments are exact, but for an
absolute error."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor, Property
from algorithms.core.key import Draws
from theory import bits
from theory.claims import Claim, Contraction, NoConstant, Source, Unbiased, VarianceBound

_SOURCE = Source("definition", 0)


@final
@dataclass(frozen=True)
class WorstContraction(Compressor):
    r"""C(x) = x + s R x, s^2 = 1 - delta, R = I, -I or a turn by a right angle: the error is as
    long as E\|C(x) - x\|^2 <= (1 - delta) \|x\|^2 allows, for every x.

    Attributes:
        delta: the constant that is claimed.
        kind: 0: too short, 1: too long, 2: turned (an even d).
    """

    properties: ClassVar[frozenset[Property]] = frozenset({Property.LINEAR})

    delta: float
    kind: int = 0

    @property
    def name(self) -> str:
        return f"worst contraction({self.delta:g}, {('short', 'long', 'turned')[self.kind]})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return (Contraction(self.delta, "delta", _SOURCE, tight=True),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field.floats("values", d, dtype),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        off = math.sqrt(1 - self.delta)
        if self.kind < 2:
            return ((1 + (-off, off)[self.kind]) * x,)
        pairs = x.reshape(*x.shape[:-1], -1, 2)
        return (x + off * torch.stack((-pairs[..., 1], pairs[..., 0]), -1).flatten(-2),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return symbols[0]

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.dense(d, float_bits)


@final
@dataclass(frozen=True)
class WorstUnbiased(Compressor):
    r"""C(x) = (1 + s) x or (1 - s) x, each every other time, s^2 = omega: unbiased, with the
    variance omega \|x\|^2 for every x.

    Attributes:
        omega: the constant that is claimed.
    """

    properties: ClassVar[frozenset[Property]] = frozenset({Property.LINEAR})

    omega: float

    @property
    def name(self) -> str:
        return f"worst unbiased({self.omega:g})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return (Unbiased(_SOURCE), VarianceBound(self.omega, "omega", _SOURCE, tight=True))

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field.floats("values", d, dtype),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        sign = 2 * draws.integers(2, 1) - 1
        return (x * (1 + math.sqrt(self.omega) * sign.to(x.dtype)),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return symbols[0]

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.dense(d, float_bits)


@final
@dataclass(frozen=True)
class WorstAbsolute(Compressor):
    r"""C(x) = x - D u, u the unit vector of equal entries: the error is as long as E\|C(x) - x\|^2
    <= D^2 allows, for every x, and always the same.

    Attributes:
        square: D^2, the error that is claimed [x^2].
    """

    square: float

    @property
    def name(self) -> str:
        return f"worst absolute({self.square:g})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        near, why = (math.sqrt(self.square / d) / 4,), "its error is no smaller near 0"
        return (NoConstant(why, _SOURCE, biased_at=near, expands_at=near),)

    def absolute_error(self, d: int) -> float:
        return self.square

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field.floats("values", d, dtype),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return (x - math.sqrt(self.square / x.shape[-1]),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return symbols[0]

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.dense(d, float_bits)
