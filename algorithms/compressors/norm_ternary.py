"""Ternary dithering under any p-norm, as DIANA's blocks use it (Mishchenko et al. 2019)."""

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
from algorithms.kernels import extremes, row_norms
from algorithms.kernels.quantiser_rows import scaled_levels
from algorithms.kernels.row_parts import RowPart, numbers
from theory import bits
from theory.claims import Claim, Confidence, Source, Unbiased, VarianceBound

_PAPER = Source("Mishchenko et al.", 2019, "1901.09269", "Definition 1 and Lemma 2")


@final
@dataclass(frozen=True)
class NormTernary(LevelCompressor):
    r"""$C(x)_j = \|x\|_p \,\mathrm{sign}(x_j)\, b_j$, $P(b_j = 1) = |x_j| / \|x\|_p$.

    Variance $\|x\|_1\|x\|_p - \|x\|_2^2$, so omega = 1/alpha_p - 1 with alpha_p = inf ||x||^2 /
    (||x||_1 ||x||_p): d - 1 for p = 1, sqrt(d) - 1 for p = 2 (QSGD of one level), (sqrt(d) - 1)/2
    for p = inf (TernGrad), each attained. DIANA applies it to blocks: see ``Buckets``.

    Raises:
        ValueError: p is none of 1, 2, inf.
    """

    p: float = math.inf

    s = 1

    def __post_init__(self) -> None:
        if self.p not in (1, 2, math.inf):
            raise ValueError(f"p must be 1, 2 or inf, got p={self.p}")

    @property
    def name(self) -> str:
        return f"ternary(p={self.p:g})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        omega, formula = {
            1: (d - 1.0, "d - 1"),
            2: (math.sqrt(d) - 1, "sqrt(d) - 1"),
            math.inf: ((math.sqrt(d) - 1) / 2, "(sqrt(d) - 1)/2"),
        }[self.p]
        return (
            Unbiased(_PAPER),
            VarianceBound(omega, formula, _PAPER, True, Confidence.DERIVED),
        )

    def scale(self, x: Tensor) -> Tensor:
        if self.p == 1:
            return (row_norms.mean_abs(x.double()) * x.shape[-1]).to(x.dtype)
        return row_norms.norms(x) if self.p == 2 else extremes.tops(x)

    def exact_scale(self, x: Sequence[Fraction]) -> Fraction:
        return exact_norm(x, self.p)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        p = 0 if self.p == math.inf else int(self.p)
        return RowPart(scaled_levels, numbers(dtype, ints=(self.s, self.width, p)))

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.ternary(d, float_bits)
