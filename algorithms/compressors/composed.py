"""Composed: a quantiser on the coordinates that a sparsifier chose (Basu et al. 2019)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Field, Layout, Symbols
from algorithms.compressors.base import ListedRows, Property
from algorithms.compressors.entries import all_of
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.requirements import kept, share_name
from algorithms.compressors.sparse import SparseCompressor
from algorithms.core.key import Draws
from algorithms.kernels import selection
from algorithms.kernels.coded_rows import quantised_largest
from algorithms.kernels.entries import place_type
from algorithms.kernels.row_parts import RowPart, numbers
from theory.bits import index_bits
from theory.claims import Claim, Confidence, Contraction, Source

_SCALED = Source("Basu, Data, Karakus, Diggavi", 2019, "1906.02367", "Lemma 2")
_UNSCALED = Source("Basu, Data, Karakus, Diggavi", 2019, "1906.02367", "Lemma 1")
_BETA = "beta = min(k/s^2, sqrt(k)/s)"


@final
@dataclass(frozen=True)
class QuantisedTopK(SparseCompressor):
    r"""$Q_s(\mathrm{Top}_k(x))$, divided by $1 + \beta_{k,s}$ where ``scaled``: QTop_k.

    $Q_s$ is QSGD with s levels on the k numbers that are left, $\beta_{k,s} = \min(k/s^2,
    \sqrt k/s)$ its variance. Scaled, it contracts with $\delta = k / (d (1 + \beta))$; unscaled
    with $\delta = (1 - \beta) k / d$, where $\beta < 1$. Message: QSGD's of k numbers, and k
    indices of $\lceil\log_2 d\rceil$ bits. (Basu, Data, Karakus, Diggavi 2019, arXiv:1906.02367,
    Lemmas 1 and 2.)

    Raises:
        ValueError: s < 1.
    """

    properties: ClassVar[frozenset[Property]] = frozenset({Property.SCALE, Property.ODD})

    k: int | float
    s: int = 1
    scaled: bool = True

    def __post_init__(self) -> None:
        _ = self._quantiser

    @property
    def name(self) -> str:
        kind = "scaled " if self.scaled else ""
        return f"{kind}QTop-k({share_name(self.k)}, s={self.s})"

    def beta(self, d: int) -> float:
        r"""\beta_{k,s} for rows of d numbers."""
        k = kept(self.k, d)
        return min(k / self.s**2, math.sqrt(k) / self.s)

    def claims(self, d: int) -> tuple[Claim, ...]:
        share, beta = kept(self.k, d) / d, self.beta(d)
        if self.scaled:
            delta = share / (1 + beta)
            formula = f"k/(d(1+beta)), {_BETA}"
            return (Contraction(delta, formula, _SCALED, False, Confidence.CERTAIN),)
        if beta < 1:
            delta = (1 - beta) * share
            formula = f"(1-beta)k/d, {_BETA}"
            return (Contraction(delta, formula, _UNSCALED, False, Confidence.CERTAIN),)
        return ()

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        k = kept(self.k, d)
        return (
            *self._quantiser.layout(k, dtype),
            Field("indices", k, index_bits(d), place_type(d)),
        )

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        indices = selection.largest(x, kept(self.k, x.shape[-1]))
        return (*self._quantiser.encode(x.gather(-1, indices), draws), indices)

    def listed(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> ListedRows:
        *coded, indices = symbols
        values = self._quantiser.decode(tuple(coded), indices.shape[-1], dtype, draws)
        if self.scaled:
            values = values / (1 + self.beta(d))
        return ListedRows(all_of(indices), indices, values)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        inner = self._quantiser
        factor = 1 + self.beta(d) if self.scaled else 1.0
        ints = (inner.s, inner.width, kept(self.k, d))
        return RowPart(quantised_largest, numbers(dtype, factor, ints=ints))

    def stated_bits(self, d: int, float_bits: int) -> float:
        k = kept(self.k, d)
        return self._quantiser.stated_bits(k, float_bits) + k * index_bits(d)

    @property
    def _quantiser(self) -> QSGD:
        return QSGD(self.s)
