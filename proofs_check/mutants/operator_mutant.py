"""OperatorMutant: a wrong operator, what was planted in it, and the check that must refute it."""

from __future__ import annotations

from typing import NamedTuple

import torch
from torch import Tensor

from algorithms.codes.base import Code, Layout, Symbols
from algorithms.compressors.base import Compressor, StatedLength
from algorithms.core.key import Draws
from theory.claims import Claim


class FaultyCompressor(Compressor):
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

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        return self.right.stated_lengths(sent, float_bits)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return self.right.decode(symbols, d, dtype, draws)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return self.right.stated_bits(d, float_bits)


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
