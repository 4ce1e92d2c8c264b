"""Identity: the uncompressed message, 32 d bits in float32."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.codes.packed import float_slices
from algorithms.compressors.base import Compressor, Property
from algorithms.core.key import Draws
from algorithms.kernels.row_parts import RowPart, no_operator, numbers
from theory import bits
from theory.claims import Claim, Contraction, Source, Unbiased, VarianceBound

_SOURCE = Source("definition", 0)


@final
@dataclass(frozen=True)
class Identity(Compressor):
    """C(x) = x, nothing is compressed: omega = 0, delta = 1. (Textbook.)"""

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.PERMUTATION, Property.LINEAR}
    )

    @property
    def name(self) -> str:
        return "identity"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return (
            Unbiased(_SOURCE),
            VarianceBound(0.0, "0", _SOURCE, tight=True),
            Contraction(1.0, "1", _SOURCE, tight=True),
        )

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field.floats("values", d, dtype),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return (x,)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return symbols[0]

    def sent_rows(
        self, packed: Tensor, lengths: Tensor | None, d: int, dtype: torch.dtype
    ) -> Iterator[tuple[slice, Tensor]]:
        return float_slices(packed, d, dtype)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(no_operator, numbers(dtype), draws=False)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.dense(d, float_bits)


EXAMPLES = (Identity(),)
