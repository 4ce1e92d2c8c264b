"""Stochastic rotated quantisation (Suresh, Yu, Kumar, McMahan 2017, arXiv:1611.00429)."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Layout, Symbols
from algorithms.compressors.base import Compressor
from algorithms.compressors.k_level import KLevel, Span
from algorithms.compressors.requirements import require_rows
from algorithms.core.key import Draws, uniforms
from algorithms.kernels import rotation
from algorithms.kernels.coded_rows import rotated
from algorithms.kernels.compiled import by_torch
from algorithms.kernels.hadamard import hadamard
from algorithms.kernels.key_words import ending_of
from algorithms.kernels.philox import Counters
from algorithms.kernels.row_parts import RowPart, numbers
from theory.claims import Claim, Confidence, Source, Unbiased, VarianceBound

_PAPER = Source("Suresh et al.", 2017, "1611.00429", "Section 3, Theorem 3")


@final
@dataclass(frozen=True)
class Rotated(Compressor):
    r"""$C(x) = D H\, Q(H D x)$, H the Hadamard matrix / sqrt(d'), D random signs, Q k-level.

    Rows are padded with zeros to d', a power of two. Given D it is unbiased, with the variance of Q
    at H D x; over D that is at most (2 ln d' + 2)/(k-1)^2 ||x||^2 (Theorem 3), and never
    more than Q's worst. The signs are drawn by sender and receiver alike and are not sent.

    Attributes:
        inner: Q, the k-level quantiser.

    Raises:
        ValueError: Q does not span the range of its row.
    """

    inner: KLevel = field(default_factory=lambda: KLevel(16))

    def __post_init__(self) -> None:
        if self.inner.span is not Span.RANGE:
            raise ValueError(f"inner must span the range of its row, got {self.inner.name}")

    @property
    def name(self) -> str:
        return f"rotated {self.inner.name}"

    def claims(self, d: int) -> tuple[Claim, ...]:
        wide = padded(d)
        cells = (self.inner.k - 1) ** 2
        worst = max(wide - 2, 0) / (2 * cells)
        omega = min((2 * math.log(wide) + 2) / cells, worst)
        formula = "min(2 ln d' + 2, (d' - 2)/2)/(k-1)^2, d' = d up to a power of two"
        return (
            Unbiased(_PAPER),
            VarianceBound(omega, formula, _PAPER, False, Confidence.CERTAIN),
        )

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return self.inner.layout(padded(d), dtype)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        d = x.shape[-1]
        numbers = uniforms(draws.fold("rotation"), x)
        if isinstance(numbers, Counters) and not by_torch(x):
            turned = rotation.turned(x.reshape(-1, d), numbers, padded(d)).view(*x.shape[:-1], -1)
        else:
            wide = torch.nn.functional.pad(x, (0, padded(d) - d))
            turned = hadamard(wide * _signs(padded(d), x.dtype, draws))
        return self.inner.encode(turned, draws.fold("levels"))

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        turned = self.inner.decode(symbols, padded(d), dtype, draws.fold("levels"))
        numbers = uniforms(draws.fold("rotation"), turned)
        if isinstance(numbers, Counters) and not by_torch(turned):
            flat = turned.reshape(-1, turned.shape[-1])
            return rotation.turned_back(flat, numbers, d).view(*turned.shape[:-1], d)
        return (hadamard(turned) * _signs(padded(d), dtype, draws))[..., :d].contiguous()

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        one, two = ending_of("rotation"), ending_of("levels")
        ints = (self.inner.k, 0, len(one), *one, *two)
        return RowPart(rotated, numbers(dtype, 1 / math.sqrt(padded(d)), ints=ints))

    def stated_bits(self, d: int, float_bits: int) -> float:
        """Those of k levels at d'."""
        return self.inner.stated_bits(padded(d), float_bits)


def padded(d: int) -> int:
    """The least power of two that is at least d."""
    return 1 << (d - 1).bit_length()


def _signs(d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
    """Random signs ``[..., m, d]``."""
    return (1 - 2 * draws.fold("rotation").integers(2, d)).to(dtype)
