"""Top-k (Stich, Cordonnier, Jaggi 2018, arXiv:1809.07599; Alistarh et al. 2018, 1809.10505)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.compressors.base import Property
from algorithms.compressors.requirements import share_name
from algorithms.compressors.sparsifier import Sparsifier
from algorithms.core.key import Draws
from algorithms.kernels import selection
from algorithms.kernels.operator_rows import largest
from algorithms.kernels.row_parts import RowPart, numbers
from theory import bits
from theory.claims import Claim, Confidence, Contraction, Source

_PAPER = Source("Stich, Cordonnier, Jaggi", 2018, "1809.07599", "Lemma A.1")


@final
@dataclass(frozen=True)
class TopK(Sparsifier):
    r"""Keep the k coordinates of largest magnitude; ties go to the lowest index.

    $\|C(x) - x\|^2 \le (1 - k/d)\|x\|^2$, attained where all magnitudes are equal. Deterministic.
    Message: k values and k indices of $\lceil\log_2 d\rceil$ bits.
    """

    properties: ClassVar[frozenset[Property]] = frozenset(
        {Property.SCALE, Property.ODD, Property.PERMUTATION}
    )

    k: int | float

    indices_sent = True

    @property
    def name(self) -> str:
        return f"top-k({share_name(self.k)})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        return (Contraction(self.kept(d) / d, "k/d", _PAPER, True, Confidence.READ),)

    def factor(self, d: int) -> float:
        return 1.0

    def choose(self, x: Tensor, draws: Draws) -> Tensor:
        return selection.largest(x, self.kept(x.shape[-1]))

    def draw_again(self, d: int, draws: Draws) -> Tensor:
        raise TypeError(f"{self.name} chooses by value; its indices must be sent")

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(largest, numbers(dtype, ints=(self.kept(d),)), draws=False, work=8 * d)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return bits.sparse(d, self.kept(d), float_bits)
