"""Fixed point with stochastic rounding (Gupta et al. 2015, arXiv:1502.02551)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor, Property
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.core.key import Draws, uniforms
from algorithms.kernels import grids, rounding
from algorithms.kernels.quantiser_rows import fixed_points
from algorithms.kernels.row_parts import RowPart, numbers
from theory.claims import Claim, Confidence, NoConstant, Source

_PAPER = Source("Gupta et al.", 2015, "1502.02551", "Section 3; De Sa et al. 2015, 1506.06438")


@final
@dataclass(frozen=True)
class FixedPoint(Compressor):
    r"""$D\lfloor x/D + u\rfloor$, u uniform, D = 2^-fraction, in ``width`` bits two's complement.

    Within the range unbiased with variance f (1 - f) D^2 <= D^2/4 a coordinate, f the fraction of
    x/D. That bound is absolute: at x = f D it is (1 - f)/f times x^2, so there is no omega. Beyond
    the range the end is sent, which is biased.

    Raises:
        ValueError: width outside [2, 24], or fraction outside [0, 32].
    """

    fraction: int = 8
    width: int = 16

    properties: ClassVar[frozenset[Property]] = frozenset({Property.PERMUTATION})

    def __post_init__(self) -> None:
        if not (2 <= self.width <= 24 and 0 <= self.fraction <= 32):
            raise ValueError(
                "width must lie in [2, 24] and fraction in [0, 32], "
                f"got width={self.width}, fraction={self.fraction}"
            )

    @property
    def name(self) -> str:
        return f"fixed point({self.width} bits, {self.fraction} of the fraction)"

    @property
    def step(self) -> float:
        """Distance D = 2^-fraction between two values of the grid."""
        return 2.0**-self.fraction

    def claims(self, d: int) -> tuple[Claim, ...]:
        why = "variance up to D^2/4 a coordinate however small x, and saturation"
        beyond = (self.step * (1 << self.width),)
        return (NoConstant(why, _PAPER, Confidence.DERIVED, beyond, (self.step / 16,)),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field("levels", d, self.width, rounding.code_dtype(self.width)),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        half = 1 << (self.width - 1)
        return (grids.fixed(x, self.step, half, uniforms(draws, x), self.width),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        half = 1 << (self.width - 1)
        return symbols[0].to(dtype, copy=True).sub_(half).mul_(self.step)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(fixed_points, numbers(dtype, self.step, float(1 << (self.width - 1))))

    def stated_bits(self, d: int, float_bits: int) -> float:
        return float(self.width * d)
