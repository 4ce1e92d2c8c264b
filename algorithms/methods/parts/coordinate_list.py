"""CoordinateList: which coordinates of a vector somebody asks for, as a message."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor
from algorithms.core.key import Draws
from theory.bits import index_bits
from theory.claims import Claim


@final
@dataclass(frozen=True)
class CoordinateList(Compressor):
    """Rows of k coordinates (int64) of a vector in R^``size``, ceil(log2 size) bits each.

    No operator on R^d: it claims nothing. (Textbook code.)
    """

    size: int

    @property
    def name(self) -> str:
        return f"coordinates of {self.size}"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return ()

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field("coordinates", d, index_bits(self.size)),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return (x,)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return symbols[0]

    def stated_bits(self, d: int, float_bits: int) -> float:
        return float(d * index_bits(self.size))
