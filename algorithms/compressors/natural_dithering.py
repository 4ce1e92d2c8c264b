"""Natural dithering (Horvath, Ho, Horvath, Sahu, Canini, Richtarik 2019, arXiv:1905.10988)."""

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
from algorithms.compressors.grid import GridCompressor, exact_norm
from algorithms.compressors.repeated import distinct
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.core.key import Draws, uniforms
from algorithms.kernels import dithering, extremes, grids, rounding, row_norms
from algorithms.kernels.quantiser_rows import power_levels
from algorithms.kernels.row_parts import RowPart, numbers
from theory import bits
from theory.claims import Claim, Confidence, Source, Unbiased, VarianceBound

_PAPER = Source("Horvath et al.", 2019, "1905.10988", "Theorem 7")
_SHARP = Source("Horvath et al.", 2019, "1905.10988", "sharpened here: maximised by cells")


@final
@dataclass(frozen=True)
class NaturalDithering(GridCompressor):
    r"""$C(x)_j = \|x\|_p \mathrm{sign}(x_j) \xi_j$, levels $\xi \in \{0, 2^{1-s}, ..., 1/2, 1\}$.

    $\xi_j$ is one of the neighbours of $|x_j|/\|x\|_p$, without bias. With $w = \sqrt d\, 2^{1-s}$
    (p >= 2) the paper has omega = 1/8 + w min(1, w); the derivation in ``proofs_check`` gives
    1/8 + (2/9) w^2 up to w = 9/4 and w - 1 beyond. Message: the norm, then a sign and one of s + 1
    levels a coordinate.

    Raises:
        ValueError: s outside [1, 64] or p neither 2 nor inf.
    """

    s: int = 4
    p: float = 2.0

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.PERMUTATION}
    )

    def __post_init__(self) -> None:
        if not 1 <= self.s <= 64:
            raise ValueError(f"s must lie in [1, 64], got s={self.s}")
        if self.p not in (2, math.inf):
            raise ValueError(f"p must be 2 or inf, got p={self.p}")

    @property
    def name(self) -> str:
        return f"natural dithering(s={self.s}, p={self.p:g})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        w = math.sqrt(d) * 2.0 ** (1 - self.s)
        paper = 1 / 8 + w * min(1, w)
        sharp = 1 / 8 + 2 / 9 * w * w if w <= 9 / 4 else w - 1
        first = "1/8 + w min(1, w), w = sqrt(d) 2^(1-s)"
        last = "1/8 + 2/9 w^2 if w <= 9/4 else w - 1, w = sqrt(d) 2^(1-s)"
        return (
            Unbiased(_PAPER),
            VarianceBound(paper, first, _PAPER, False, Confidence.READ),
            VarianceBound(sharp, last, _SHARP, False, Confidence.DERIVED),
        )

    def scale(self, x: Tensor) -> Tensor:
        """The norm ``[..., m, 1]`` of rows ``[..., m, d]``."""
        return row_norms.norms(x) if self.p == 2 else extremes.tops(x)

    def cells(self, x: Tensor) -> tuple[Tensor, Tensor]:
        scale = self.scale(x)
        place = dithering.place_torch(x, scale)
        inner = dithering.inner_torch(place, self.s)
        outer = torch.where(self._power(inner) == place, inner, inner + 1)
        signed = torch.where(x < 0, -scale, scale)
        return self._power(inner) * signed, self._power(outer) * signed

    def exact_cells(self, x: Sequence[Fraction]) -> tuple[tuple[Fraction, Fraction], ...]:
        scale = exact_norm(x, self.p)
        levels = [Fraction(0), *(Fraction(1, 2**j) for j in reversed(range(self.s)))]
        cells = []
        for t in x:
            signed = -scale if t < 0 else scale
            place = abs(t) / scale if scale else Fraction(0)
            inner = max(level for level in levels if level <= place)
            outer = min(level for level in levels if level >= place)
            cells.append((inner * signed, outer * signed))
        return tuple(cells)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        width = 1 + self.s.bit_length()
        levels = Field("levels", d, width, rounding.code_dtype(width))
        return (Field.floats("norm", 1, dtype), levels)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        scale = self.scale(distinct(x))
        require_finite(scale, x, self.name)
        scale = scale.expand(*x.shape[:-1], 1)
        return scale, dithering.dithered(x, scale, self.s, uniforms(draws, x))

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        scale, codes = symbols
        width = self.s.bit_length()
        size = self._power(torch.arange(1 << width, device=scale.device), dtype) * scale
        return grids.from_codebook(codes, torch.cat((size, -size), -1))

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        width, fields = self.s.bit_length(), (23, 127) if dtype == torch.float32 else (52, 1023)
        powers = self._power(torch.arange(1 << width), dtype)
        ints = (self.s, width, *fields, 2 if self.p == 2 else 0)
        return RowPart(power_levels, numbers(dtype, powers, ints=ints))

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.levels(d, self.s, float_bits)

    def _power(self, level: Tensor, dtype: torch.dtype = torch.float64) -> Tensor:
        return dithering.power_torch(level, self.s, dtype)
