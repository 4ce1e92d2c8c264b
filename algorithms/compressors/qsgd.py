"""QSGD (Alistarh, Grubic, Li, Tomioka, Vojnovic 2017, arXiv:1610.02132)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import torch
from torch import Tensor

from algorithms.compressors.grid import exact_norm
from algorithms.compressors.levels import LevelCompressor
from algorithms.kernels import row_norms
from algorithms.kernels.operator_rows import norm_levels
from algorithms.kernels.row_parts import RowPart, numbers
from theory import bits
from theory.claims import Claim, Confidence, Source, Unbiased, VarianceBound

_PAPER = Source("Alistarh et al.", 2017, "1610.02132", "Lemma 3.1")
_SHARP = Source("Alistarh et al.", 2017, "1610.02132", "sharpened here: exact variance, maximised")


@final
@dataclass(frozen=True)
class QSGD(LevelCompressor):
    r"""s levels below the Euclidean norm: $C(x)_j = \|x\|_2 \,\mathrm{sign}(x_j)\, l_j / s$.

    $l_j \in \{l, l+1\}$ with $l = \lfloor s|x_j|/\|x\| \rfloor$, $0 \le l < s$, and
    $P(l + 1) = s|x_j|/\|x\| - l$. omega = min(d/s^2, sqrt(d)/s) as published; at s = 1 the
    variance is $\|x\|_1\|x\|_2 - \|x\|_2^2$, so omega = sqrt(d) - 1 is tight (equal magnitudes);
    for any s no cell adds more than a quarter of its squared width, so omega <= d/(4 s^2).

    Both variances are claimed, the smaller last; from d = 16 s^2 on it is the published one.

    Raises:
        ValueError: s < 1.
    """

    s: int = 1

    def __post_init__(self) -> None:
        if not 1 <= self.s < 2**24:
            raise ValueError(f"s must lie in [1, 2^24), got s={self.s}")

    @property
    def name(self) -> str:
        return f"QSGD(s={self.s})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        s = self.s
        paper = VarianceBound(
            min(d / s**2, math.sqrt(d) / s), "min(d/s^2, sqrt(d)/s)", _PAPER, False, Confidence.READ
        )
        sharp = (
            VarianceBound(math.sqrt(d) - 1, "sqrt(d) - 1", _SHARP, True, Confidence.DERIVED)
            if s == 1
            else VarianceBound(d / (4 * s**2), "d/(4 s^2)", _SHARP, False, Confidence.DERIVED)
        )
        bounds = sorted((paper, sharp), key=lambda bound: -bound.omega)
        return (Unbiased(_PAPER, Confidence.READ), *bounds)

    def scale(self, x: Tensor) -> Tensor:
        return row_norms.norms(x)

    def exact_scale(self, x: Sequence[Fraction]) -> Fraction:
        return exact_norm(x, 2)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(norm_levels, numbers(dtype, ints=(self.s, self.width)), work=16 * d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.levels(d, self.s, float_bits)
