"""Uniform levels below the largest magnitude: low-precision numbers (Yu, Wu, Huang 2019)."""

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

_PAPER = Source("Yu, Wu, Huang", 2019, "1805.10111", "Section 2, low-precision representation")


@final
@dataclass(frozen=True)
class MaxLevels(LevelCompressor):
    r"""$C(x)_j = \|x\|_\infty \,\mathrm{sign}(x_j)\, l_j / s$, l_j random between its neighbours.

    s = 2^{b-1} - 1 gives numbers of b bits with step ||x||_inf / s. The largest coordinate is
    exact and each other has variance at most a quarter of a squared cell; with D = (d - 1)/s^2 the
    ratio D f(1 - f)/(1 + D f^2) of (1, f/s, ..., f/s) is largest at omega = (sqrt(1 + D) - 1)/2,
    tight (higher cells add norm, not variance). s = 1 is TernGrad.

    Raises:
        ValueError: s < 1.
    """

    s: int = 7

    def __post_init__(self) -> None:
        if not 1 <= self.s < 2**24:
            raise ValueError(f"s must lie in [1, 2^24), got s={self.s}")

    @property
    def name(self) -> str:
        return f"max levels(s={self.s})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        omega = (math.sqrt(1 + (d - 1) / self.s**2) - 1) / 2
        formula = "(sqrt(1 + (d - 1)/s^2) - 1)/2"
        return (
            Unbiased(_PAPER),
            VarianceBound(omega, formula, _PAPER, True, Confidence.DERIVED),
        )

    def scale(self, x: Tensor) -> Tensor:
        return extremes.tops(x)

    def exact_scale(self, x: Sequence[Fraction]) -> Fraction:
        return max(abs(t) for t in x)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(scaled_levels, numbers(dtype, ints=(self.s, self.width, 0)))

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.levels(d, self.s, float_bits)
