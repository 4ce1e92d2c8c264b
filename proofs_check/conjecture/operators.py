"""A contraction that loses what its constant allows, at every other worker in the other sense."""

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
from theory.claims import Claim, Contraction, Source


@final
@dataclass(frozen=True)
class UnevenContraction(Compressor):
    r"""C_i(x) = (1 - s) x at workers 0, 2, ... and (1 + s) x at the others, s^2 = 1 - delta: each
    loses what the constant allows, and errors of workers with other data do not cancel.

    Attributes:
        delta: the constant that is claimed.
    """

    properties: ClassVar[frozenset[Property]] = frozenset({Property.LINEAR})

    delta: float

    @property
    def name(self) -> str:
        return f"uneven contraction({self.delta:g})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return (Contraction(self.delta, "delta", Source("definition", 0), tight=True),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field.floats("values", d, dtype),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        sense = (2 * (draws.workers % 2) - 1).to(x.dtype)
        return (x * (1 + math.sqrt(1 - self.delta) * sense[..., None]),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return symbols[0]

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.dense(d, float_bits)
