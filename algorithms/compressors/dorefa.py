"""DoReFa-Net's gradient quantiser (Zhou et al. 2016, arXiv:1606.06160)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor, Property
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.core.key import Draws, uniforms
from algorithms.kernels import extremes, grids
from algorithms.kernels.quantiser_rows import odd_levels
from algorithms.kernels.row_parts import RowPart, numbers
from theory.claims import Claim, Confidence, Source, Unbiased, VarianceBound

_PAPER = Source("Zhou et al.", 2016, "1606.06160", "Eq. 12; constant derived here")


@final
@dataclass(frozen=True)
class DoReFa(Compressor):
    r"""$2M[q_k(x/2M + 1/2 + N/(2^k-1)) - 1/2]$, M = max|x|, N uniform on (-1/2, 1/2).

    $q_k(r) = \mathrm{round}((2^k-1) r)/(2^k-1)$: rounding after such a noise goes to either
    neighbour with the odds that leave the mean alone, also at the ends, which are grid points; so
    nothing is ever clipped. With L = 2^k - 1 the cells are 2M/L wide and zero lies amid one: a
    coordinate has variance at most M^2/L^2, the largest none, so omega = (d - 1)/L^2, attained by
    one-hot vectors. Drawn for |x| and mirrored.

    Raises:
        ValueError: k outside [1, 8].
    """

    k: int = 4

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.PERMUTATION}
    )

    def __post_init__(self) -> None:
        if not 1 <= self.k <= 8:
            raise ValueError(f"k must lie in [1, 8], got k={self.k}")

    @property
    def name(self) -> str:
        return f"DoReFa(k={self.k})"

    @property
    def _top(self) -> int:
        return (1 << self.k) - 1

    def claims(self, d: int) -> tuple[Claim, ...]:
        omega = (d - 1) / self._top**2
        return (
            Unbiased(_PAPER),
            VarianceBound(omega, "(d-1)/(2^k-1)^2", _PAPER, True, Confidence.DERIVED),
        )

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field.floats("scale", 1, dtype), Field("levels", d, self.k, torch.uint8))

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        scale = extremes.tops(x)
        require_finite(scale, x, self.name)
        return scale, grids.odd(x, scale, self._top, uniforms(draws, x))

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        scale, levels = symbols
        every = 2 * torch.arange(1 << self.k, device=scale.device).to(dtype) - self._top
        return grids.from_codebook(levels, every / self._top * scale)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(odd_levels, numbers(dtype, float(self._top)))

    def stated_bits(self, d: int, float_bits: int) -> float:
        return float(float_bits + self.k * d)
