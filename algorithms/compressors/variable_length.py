"""k levels in a code of variable length (Suresh, Yu, Kumar, McMahan 2017, arXiv:1611.00429)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Layout, Symbols
from algorithms.codes.entropy import EntropyCode
from algorithms.compressors.base import Property, StatedLength
from algorithms.compressors.grid import GridCompressor
from algorithms.compressors.k_level import KLevel, Span
from algorithms.core.key import Draws
from algorithms.kernels.coded_rows import entropy_coded
from algorithms.kernels.row_parts import RowPart, numbers
from theory import bits
from theory.claims import Claim, VarianceBound
from theory.estimation.variable_length import variable_length


@final
@dataclass(frozen=True)
class VariableLength(GridCompressor):
    r"""The k-level quantiser over sqrt(2) ||x||, its levels in an arithmetic or Huffman code.

    With k = floor(sqrt d) + 1 (``k`` = None) most levels are near the middle and the message is
    O(d) bits, with an error of O(1/n) for the mean of n workers (Theorem 4). The histogram of the
    levels goes ahead of them and is charged.

    Raises:
        ValueError: k outside [2, 2^24].
    """

    k: int | None = None
    arithmetic: bool = True

    properties: ClassVar[frozenset[Property]] = frozenset({Property.SCALE, Property.PERMUTATION})

    def __post_init__(self) -> None:
        if self.k is not None:
            KLevel(self.k)

    def levels(self, d: int) -> int:
        """Number k of levels for rows of d numbers."""
        return self.k or max(2, math.isqrt(d) + 1)

    def _inner(self, d: int) -> KLevel:
        return KLevel(self.levels(d), Span.NORM)

    @property
    def name(self) -> str:
        k = "sqrt(d) + 1" if self.k is None else str(self.k)
        return f"k-level(k={k}) in {'arithmetic' if self.arithmetic else 'Huffman'} code"

    def claims(self, d: int) -> tuple[Claim, ...]:
        claims = self._inner(d).claims(d)
        if self.k is not None:
            return claims
        return tuple(
            replace(one, formula=f"{one.formula}, k = max(2, floor(sqrt(d)) + 1)")
            if isinstance(one, VarianceBound) else one
            for one in claims
        )  # fmt: skip

    def cells(self, x: Tensor) -> tuple[Tensor, Tensor]:
        return self._inner(x.shape[-1]).cells(x)

    def exact_cells(self, x: Sequence[Fraction]) -> tuple[tuple[Fraction, Fraction], ...]:
        return self._inner(len(x)).exact_cells(x)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return self._inner(d).layout(d, dtype)

    def code(self, d: int, dtype: torch.dtype) -> Code:
        return EntropyCode(self.layout(d, dtype)[:-1], d, self.levels(d), self.arithmetic)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self._inner(x.shape[-1]).encode(x, draws)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return self._inner(d).decode(symbols, d, dtype, draws)

    def _front(self, d: int, float_bits: int) -> int:
        """Two floats and the histogram."""
        return 2 * float_bits + (self.levels(d) - 1) * d.bit_length()

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        front = self._front(d, torch.finfo(dtype).bits)
        ints = (self.levels(d), 1, front, self.arithmetic)
        return RowPart(entropy_coded, numbers(dtype, ints=ints))

    def stated_bits(self, d: int, float_bits: int) -> float:
        """d (2 + log2((k-1)^2/(2d) + 5/4)), histogram, floats; a bit more for each by Huffman."""
        cells = (self.levels(d) - 1) ** 2
        leading = d * (2 + math.log2(cells / (2 * d) + 1.25))
        if self.k is None:
            leading = variable_length.bits(d, float_bits) - 2 * float_bits
        return leading + self._front(d, float_bits) + (2 if self.arithmetic else d)

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        """Between the entropy of what was sent and the code's known overhead above it."""
        d = sent.shape[-1]
        flat = sent.reshape(-1, d)
        entropies = []
        for row in flat:
            found = torch.unique(row, return_counts=True)[1].tolist()
            entropies.append(bits.entropy(found))
        least = torch.tensor(entropies, dtype=torch.float64).reshape(sent.shape[:-1])
        front = self._front(d, float_bits)
        over = 2 + 1.5 * d * d / (1 << 30) if self.arithmetic else float(d)
        return StatedLength((least - 1).clamp_min(0) + front, least + over + front)
