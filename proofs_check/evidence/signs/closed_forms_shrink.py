"""The worst delta-contraction for error feedback with a constant gradient."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor
from algorithms.core.key import Draws
from theory import bits
from theory.claims import Claim, Contraction, Source


@final
@dataclass(frozen=True)
class Shrink(Compressor):
    r"""C(x) = (1 - \sqrt{1 - \delta}) x: ||C(x) - x||^2 = (1 - delta) ||x||^2 for every x.

    Nobody would send it; it attains the supremum of the residual over all delta-contractions.

    Raises:
        ValueError: delta outside (0, 1].
    """

    delta: float

    def __post_init__(self) -> None:
        if not 0 < self.delta <= 1:
            raise ValueError(f"delta must lie in (0, 1], got delta={self.delta}")

    @property
    def name(self) -> str:
        return f"shrink(delta={self.delta:g})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return (Contraction(self.delta, "delta", Source("definition", 0), tight=True),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field.floats("values", d, dtype),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return ((1 - math.sqrt(1 - self.delta)) * x,)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return symbols[0]

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.dense(d, float_bits)
