"""Nonzero entries with their places: a list without loss."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.compressors.base import Property
from algorithms.compressors.masked import MaskCompressor
from algorithms.core.key import Draws
from algorithms.kernels import sparsifier_rows
from algorithms.kernels.mask_to_indices import nonzero
from algorithms.kernels.row_parts import RowPart, numbers
from theory import bits
from theory.claims import Claim, Contraction, Source, Unbiased, VarianceBound

_SOURCE = Source("definition", 0)


@final
@dataclass(frozen=True)
class NonZero(MaskCompressor):
    r"""C(x) = x, written as index and value of each x_j \ne 0: omega = 0, delta = 1.

    For gradients of sparse data and for updates that a worker filtered itself. (Textbook.)
    """

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.PERMUTATION, Property.LINEAR}
    )

    indices_sent = True
    factor = 1.0

    @property
    def name(self) -> str:
        return "nonzero entries"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return (
            Unbiased(_SOURCE),
            VarianceBound(0.0, "0", _SOURCE, tight=True),
            Contraction(1.0, "1", _SOURCE, tight=True),
        )

    def mask(self, x: Tensor, draws: Draws) -> Tensor:
        return nonzero(x)

    def mask_again(self, d: int, draws: Draws) -> Tensor:
        raise TypeError(f"{self.name} chooses by value; its indices must be sent")

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        own = numbers(dtype, ints=self.lengths(d, dtype))
        return RowPart(sparsifier_rows.nonzero, own, draws=False, work=2 * d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        """The length of a row without zeros, a bound on it elsewhere."""
        return float(d * (float_bits + bits.index_bits(d)))
