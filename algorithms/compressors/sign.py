"""Plain sign (Bernstein, Wang, Azizzadenesheli, Anandkumar 2018, arXiv:1802.04434)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor, Property
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.core.key import Draws
from algorithms.kernels import mask_to_indices
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sign_rows import signs
from theory.claims import Claim, Confidence, NoConstant, Source

_PAPER = Source("Bernstein et al.", 2018, "1802.04434", "Algorithm 1")


@final
@dataclass(frozen=True)
class Sign(Compressor):
    r"""$C(x)_j = \mathrm{sign}(x_j)$ with sgn(0) = +1, one bit a coordinate and no scale.

    As the server's operator on the mean of signs it is the majority vote; a tie of an even number
    of workers then counts as +1. No constant: every coordinate becomes one unit, whatever its size.
    """

    properties: ClassVar[frozenset[Property]] = frozenset({Property.ODD, Property.PERMUTATION})

    @property
    def name(self) -> str:
        return "sign"

    def claims(self, d: int) -> tuple[Claim, ...]:
        why = "the size of x is forgotten"
        return (NoConstant(why, _PAPER, Confidence.DERIVED, (2.0,), (0.25, -0.25)),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field("negative", d, 1, torch.uint8),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        return (mask_to_indices.negative(x),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return symbols[0].to(dtype, copy=True).mul_(-2).add_(1)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(signs, numbers(dtype), draws=False)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return float(d)
