"""Scaled sign (Karimireddy, Rebjock, Stich, Jaggi 2019, arXiv:1901.09847)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor, Property
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.core.key import Draws
from algorithms.kernels import mask_to_indices, row_norms
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sign_rows import scaled_signs
from theory import bits
from theory.claims import Claim, Confidence, Contraction, Source

_PAPER = Source("Karimireddy et al.", 2019, "1901.09847", "Lemma 8")


@final
@dataclass(frozen=True)
class ScaledSign(Compressor):
    r"""$C(x) = (\|x\|_1 / d)\,\mathrm{sign}(x)$ with sgn(0) = +1: one bit must say something.

    $\|C(x) - x\|^2 = (1 - \phi)\|x\|^2$ exactly with $\phi = \|x\|_1^2 / (d\|x\|_2^2) \ge 1/d$,
    attained by one-hot vectors. Deterministic. Message: the scale and d sign bits.
    """

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.PERMUTATION}
    )

    @property
    def name(self) -> str:
        return "scaled sign"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return (Contraction(1 / d, "1/d", _PAPER, True, Confidence.DERIVED),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field.floats("scale", 1, dtype), Field("negative", d, 1, torch.uint8))

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        scale = row_norms.mean_abs(x)
        require_finite(scale, x, self.name)
        return scale, mask_to_indices.negative(x)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        scale, negative = symbols
        return negative.to(dtype).mul_(-2).add_(1).mul_(scale)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(scaled_signs, numbers(dtype), draws=False)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.signs(d, float_bits)
