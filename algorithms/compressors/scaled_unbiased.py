"""Scaled: an unbiased operator divided by 1 + omega, which contracts."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import final

import torch
from torch import Tensor

from algorithms.codes.base import Code, Layout, Symbols
from algorithms.compressors.base import Compressor, StatedLength
from algorithms.core.key import Draws
from algorithms.kernels.composite_rows import Placed, composite, divided
from algorithms.kernels.row_parts import RowPart, published
from theory.claims import (
    Claim,
    Confidence,
    Contraction,
    Source,
    Unbiased,
    VarianceBound,
    least_variance,
)

_PAPER = Source("Koloskova, Stich, Jaggi", 2019, "1902.00340", "Section 3.5")


@final
@dataclass(frozen=True)
class ScaledUnbiased(Compressor):
    r"""$C(x) = Q(x) / (1 + \omega)$ for an unbiased Q with $E\|Q(x) - x\|^2 \le \omega \|x\|^2$.

    $E\|C(x) - x\|^2 \le \frac{\omega}{1 + \omega} \|x\|^2$, so $\delta = 1/(1 + \omega)$, tight
    where the variance is. ``inner`` is Q; where it claims several variances, the smallest is
    taken; of those in print alone with ``published``, as a paper's own experiment did. The receiver
    divides: the message is Q's, bit for bit. (Koloskova, Stich, Jaggi 2019, arXiv:1902.00340,
    Section 3.5.)

    Raises:
        ValueError: ``inner`` is not unbiased, or no variance of it is known (from ``claims`` on).
    """

    inner: Compressor
    published: bool = False

    @property
    def name(self) -> str:
        return f"shrunk {self.inner.name}" + (" as published" if self.published else "")

    def variance(self, d: int) -> VarianceBound:
        """The smallest variance that Q claims for rows of d numbers."""
        claims = self.inner.claims(d)
        least = least_variance(
            claim
            for claim in claims
            if not self.published or claim.confidence is not Confidence.DERIVED
        )
        if least is None or not any(isinstance(claim, Unbiased) for claim in claims):
            raise ValueError(
                f"inner must be unbiased with a known variance, got inner={self.inner.name}; "
                "a contraction needs no shrinking"
            )
        return least

    def claims(self, d: int) -> tuple[Claim, ...]:
        bound = self.variance(d)
        formula = f"1/(1 + omega), omega = {bound.formula}"
        delta = 1 / (1 + bound.omega)
        return (Contraction(delta, formula, _PAPER, bound.tight, Confidence.DERIVED),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return self.inner.layout(d, dtype)

    def code(self, d: int, dtype: torch.dtype) -> Code:
        return self.inner.code(d, dtype)

    @property
    def steady(self) -> bool:
        return self.inner.steady

    def at_step(self, t: int) -> Compressor:
        inner = self.inner.at_step(t)
        return self if inner is self.inner else replace(self, inner=inner)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        return self.inner.encode(x, draws)

    @property
    def takes_guide(self) -> bool:
        return self.inner.takes_guide

    def encode_guided(self, x: Tensor, guide: Tensor, draws: Draws) -> Symbols:
        return self.inner.encode_guided(x, guide, draws)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        rows = self.inner.decode(symbols, d, dtype, draws)
        return rows / (1 + self.variance(d).omega)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart | None:
        inner = published(self.inner, d, dtype)
        factor = 1 + self.variance(d).omega
        return inner and composite(divided, dtype, [Placed(inner, 0, d)], factor=factor)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return self.inner.stated_bits(d, float_bits)

    def stated_lengths(self, sent: Tensor, float_bits: int) -> StatedLength:
        """Lengths of the messages of Q, which is what crosses [bits]."""
        return self.inner.stated_lengths(
            sent * (1 + self.variance(sent.shape[-1]).omega), float_bits
        )
