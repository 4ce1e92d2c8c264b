"""TernGrad (Wen, Xu, Yan, Wu, Wang, Chen, Li 2017, arXiv:1705.07878)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import torch
from torch import Tensor

from algorithms.compressors.levels import LevelCompressor
from algorithms.kernels import extremes
from algorithms.kernels.quantiser_rows import scaled_levels
from algorithms.kernels.row_parts import RowPart, numbers
from theory import bits
from theory.claims import Claim, Confidence, Source, Unbiased, VarianceBound

_PAPER = Source("Wen et al.", 2017, "1705.07878", "Eq. 2-4")
_SHARP = Source("Wen et al.", 2017, "1705.07878", "sharpened here: exact variance, maximised")


@final
@dataclass(frozen=True)
class TernGrad(LevelCompressor):
    r"""$C(x)_j = \|x\|_\infty \,\mathrm{sign}(x_j)\, b_j$, $P(b_j = 1) = |x_j| / \|x\|_\infty$.

    Variance $\|x\|_\infty\|x\|_1 - \|x\|_2^2$, hence omega = (sqrt(d) - 1)/2, tight at
    (1, a, ..., a) with a = 1/(1 + sqrt(d)). Without gradient clipping, which is biased. Two bits
    a coordinate.
    """

    s = 1

    @property
    def name(self) -> str:
        return "TernGrad"

    def claims(self, d: int) -> tuple[Claim, ...]:
        omega = (math.sqrt(d) - 1) / 2
        return (
            Unbiased(_PAPER),
            VarianceBound(omega, "(sqrt(d) - 1)/2", _SHARP, True, Confidence.DERIVED),
        )

    def scale(self, x: Tensor) -> Tensor:
        return extremes.tops(x)

    def exact_scale(self, x: Sequence[Fraction]) -> Fraction:
        return max(abs(t) for t in x)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(scaled_levels, numbers(dtype, ints=(self.s, self.width, 0)))

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.ternary(d, float_bits)
