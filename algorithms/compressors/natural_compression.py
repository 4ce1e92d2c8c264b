"""Natural compression (Horvath, Ho, Horvath, Sahu, Canini, Richtarik 2019, arXiv:1905.10988)."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Property
from algorithms.compressors.grid import GridCompressor
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.core.key import Draws, uniforms
from algorithms.kernels import deferred_checks, rounding
from algorithms.kernels.quantiser_rows import exponents
from algorithms.kernels.row_parts import RowPart, numbers
from theory import bits
from theory.claims import Claim, Confidence, Source, Unbiased, VarianceBound

_PAPER = Source("Horvath et al.", 2019, "1905.10988", "Theorem 1")


@final
@dataclass(frozen=True)
class NaturalCompression(GridCompressor):
    r"""Round to a power of two at random: only sign and exponent are sent.

    For $2^a \le |t| \le 2^{a+1}$: $C(t) = \mathrm{sign}(t) 2^a$ with probability
    $(2^{a+1} - |t|)/2^a$, else $\mathrm{sign}(t) 2^{a+1}$. omega = 1/8, tight at mantissa 4/3.
    The mantissa bits are the probability, so the law is exact in float32 and float64 alike.

    The symbol is the sign and the exponent field: 9 bits in float32, 12 in float64. Below the
    smallest normal number the grid ends with 0: such coordinates stay unbiased, but their variance
    is not relative to their size, so omega speaks of coordinates that are 0 or normal.

    Raises:
        ValueError: |x| exceeds the largest power of two (2^127 or 2^1023): no finite neighbour.
    """

    properties: ClassVar[frozenset[Property]] = frozenset({Property.ODD, Property.PERMUTATION})

    @property
    def name(self) -> str:
        return "natural compression"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return (
            Unbiased(_PAPER, Confidence.READ),
            VarianceBound(0.125, "1/8", _PAPER, True, Confidence.READ),
        )

    def cells(self, x: Tensor) -> tuple[Tensor, Tensor]:
        mantissa, exponent = torch.frexp(x)
        least = math.frexp(torch.finfo(x.dtype).tiny)[1]
        inner = torch.ldexp(torch.sign(x) * 0.5, exponent)
        inner = torch.where(exponent < least, 0, inner)
        outer = torch.where(mantissa.abs() == 0.5, inner, inner * 2)
        smallest = torch.finfo(x.dtype).tiny * torch.sign(x)
        return inner, torch.where(exponent < least, smallest, outer)

    def exact_cells(self, x: Sequence[Fraction]) -> tuple[tuple[Fraction, Fraction], ...]:
        return tuple(_exact_cell(t) for t in x)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        width = 9 if dtype == torch.float32 else 12
        return (Field("exponents", d, width, rounding.code_dtype(width)),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        if x.numel():
            self._require_range(x)
        return (rounding.exponents(x, uniforms(draws, x)),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return rounding.powers(symbols[0], dtype)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        fields = (23, 8) if dtype == torch.float32 else (52, 11)
        return RowPart(exponents, numbers(dtype, 2.0 ** -fields[0], ints=fields))

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.exponents(d, float_bits)

    def _require_range(self, x: Tensor) -> None:
        low, high = torch.aminmax(x)
        largest = torch.maximum(-low, high)
        _, power = math.frexp(torch.finfo(x.dtype).max)
        limit = 2.0 ** (power - 1)
        if deferred_checks.now() is not None:  # beyond the limit the next power is not finite
            largest = torch.where(largest > limit, torch.inf, largest)
        require_finite(largest, x, self.name)
        if deferred_checks.now() is None and largest > limit:
            raise ValueError(
                f"{self.name} needs |x| <= 2^{power - 1} in {x.dtype}, got max |x| = "
                f"{largest.item():.6g}; a row scaled down would do"
            )


def _exact_cell(t: Fraction) -> tuple[Fraction, Fraction]:
    """Neighbouring powers of two of t, zero for zero."""
    if t == 0:
        return Fraction(0), Fraction(0)
    size = abs(t)
    power = size.numerator.bit_length() - size.denominator.bit_length()
    inner = Fraction(2) ** power
    inner = inner if inner <= size else inner / 2
    sign = -1 if t < 0 else 1
    return sign * inner, sign * (inner if inner == size else 2 * inner)
