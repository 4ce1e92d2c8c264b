"""Rand-k: k coordinates by lot (Konecny et al. 2016, 1610.05492; Stich et al. 2018, 1809.07599)."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.compressors.base import Property
from algorithms.compressors.entries import entries_of
from algorithms.compressors.requirements import adds_up, require_finite, share_name
from algorithms.compressors.sparsifier import Sparsifier
from algorithms.core.key import Draws, drawn_lots
from algorithms.core.row_slices import SLICE, largest_drawn, row_slices
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.sparsifier_rows import rand_k
from theory import bits
from theory.claims import Claim, Confidence, Contraction, Source, Unbiased, VarianceBound

_PAPER = Source("Stich, Cordonnier, Jaggi", 2018, "1809.07599", "Lemma A.1")
_SCALED = Source("Konecny et al.", 2016, "1610.05492", "subsampling")


@final
@dataclass(frozen=True)
class RandK(Sparsifier):
    r"""Keep a uniformly random set of k coordinates; every worker draws its own.

    Scaled by d/k: unbiased, omega = d/k - 1 exactly for every x. Unscaled: a contraction with
    delta = k/d exactly for every x. The set is where d uniforms are largest (double precision,
    whatever the dtype of x: ties have probability below d^2 / 2^54).

    With a shared seed the message is the k values: the receiver draws the indices again. With
    ``send_indices`` they are on the wire.

    Attributes:
        scaled: whether the k values are multiplied by d/k.
    """

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.PERMUTATION, Property.LINEAR}
    )

    k: int | float
    scaled: bool = True
    send_indices: bool = False

    @property
    def name(self) -> str:
        notes = (share_name(self.k), "" if self.scaled else "unscaled")
        tail = "indices sent" if self.send_indices else ""
        return f"rand-k({', '.join(note for note in (*notes, tail) if note)})"

    @property
    def indices_sent(self) -> bool:
        return self.send_indices

    def claims(self, d: int) -> tuple[Claim, ...]:
        k = self.kept(d)
        if not self.scaled:
            return (Contraction(k / d, "k/d", _PAPER, True, Confidence.DERIVED),)
        return (
            Unbiased(_SCALED),
            VarianceBound(d / k - 1, "d/k - 1", _SCALED, True, Confidence.DERIVED),
        )

    def factor(self, d: int) -> float:
        return d / self.kept(d) if self.scaled else 1.0

    def choose(self, x: Tensor, draws: Draws) -> Tensor:
        if not adds_up(x):
            require_finite(x, x, self.name)
        return self.draw_again(x.shape[-1], draws)

    def draw_again(self, d: int, draws: Draws) -> Tensor:
        if self._long(d, draws):
            return entries_of(largest_drawn(draws, d, self.kept(d)), self.kept(d)).positions
        return drawn_lots(draws, d, self.kept(d))

    def places_again(self, d: int, draws: Draws) -> Iterator[Tensor]:
        if not self._long(d, draws):
            yield from super().places_again(d, draws)
            return
        mask = largest_drawn(draws, d, self.kept(d)).view(-1)
        for here in row_slices(d):
            places = mask[here].nonzero().view(1, -1) + here.start
            if places.numel():
                yield places

    @staticmethod
    def _long(d: int, draws: Draws) -> bool:
        """Whether the d uniforms of a row are too many to be held."""
        return d >= 2 * SLICE and draws.workers.numel() == 1

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        own = numbers(dtype, self.factor(d), ints=(self.kept(d),))
        return RowPart(rand_k, own, work=24 * d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        k = self.kept(d)
        if self.send_indices:
            return bits.sparse(d, k, float_bits)
        return bits.sparse_shared(k, float_bits)
