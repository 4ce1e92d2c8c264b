"""Projection of every slice onto a known basis (Yu et al. 2018, arXiv:1811.03617, GradiVeQ)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import Compressor, Property
from algorithms.compressors.requirements import require_finite, require_rows
from algorithms.core.key import Draws
from algorithms.kernels import projection
from algorithms.kernels.devices import put
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sketch_rows import slice_projection
from theory import bits
from theory.claims import Claim, Confidence, NoConstant, Source

_PAPER = Source("Yu et al.", 2018, "1811.03617", "Section 3, constant derived here")


@final
@dataclass(frozen=True)
class SliceProjection(Compressor):
    r"""C(x) = U U^T x on every slice of ``length`` K: its k smoothest cosines (DCT-II) as basis.

    GradiVeQ learns U by principal components; here it is the basis that principal components tend
    to for slices whose neighbours are correlated, so that the operator stands by itself. Linear,
    an orthogonal projection: ||C(x) - x||^2 = ||x||^2 - ||U^T x||^2, delta is the captured share of
    the energy, which is 0 for a slice orthogonal to U.

    Raises:
        ValueError: k outside [1, K - 1] (at K nothing is compressed); claims for d < K.
    """

    length: int
    k: int

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.LINEAR}
    )

    def __post_init__(self) -> None:
        if not 1 <= self.k < self.length:
            raise ValueError(f"k must lie in [1, length - 1], got k={self.k}, length={self.length}")

    @property
    def name(self) -> str:
        return f"slice projection({self.k} of {self.length})"

    def basis(self, dtype: torch.dtype) -> Tensor:
        """Orthonormal columns ``[length, k]``."""
        place = torch.arange(self.length, dtype=torch.float64) + 0.5
        order = torch.arange(self.k, dtype=torch.float64)
        waves = torch.cos(math.pi * place[:, None] * order / self.length)
        unit: Tensor = waves / waves.norm(dim=0)
        return unit.to(dtype)

    def _lost(self) -> tuple[float, ...]:
        """The first cosine that the basis leaves out: a slice of which nothing is kept."""
        places = [(j + 0.5) * self.k / self.length for j in range(self.length)]
        return tuple(math.cos(math.pi * place) for place in places)

    def claims(self, d: int) -> tuple[Claim, ...]:
        why = "a slice orthogonal to the basis is lost whole; delta is the captured energy"
        whole, rest = divmod(d, self.length)
        if not whole:
            raise ValueError(f"length must be at most d, got length={self.length} with d={d}")
        lost = self._lost() * whole + (0.0,) * rest
        return (NoConstant(why, _PAPER, Confidence.DERIVED, lost, lost),)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return (Field.floats("coefficients", -(-d // self.length) * self.k, dtype),)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        require_rows(x, self.name)
        require_finite(x, x, self.name)
        return (projection.coefficients(x, put(self.basis(x.dtype), x.device)),)

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return projection.restored(symbols[0], self.basis(dtype).to(symbols[0].device), d)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        basis = self.basis(dtype)
        own = numbers(dtype, basis, basis.T, ints=(self.length, self.k))
        return RowPart(slice_projection, own, draws=False, work=2 * self.k * d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.dense(-(-d // self.length) * self.k, float_bits)
