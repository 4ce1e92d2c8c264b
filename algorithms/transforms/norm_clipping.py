"""Local gradient clipping (Lin et al. 2018, arXiv:1712.01887, Section 3.3; survey Eq. 27-28)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.kernels import row_norms
from algorithms.kernels.change_rows import clipped_norms
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.transforms.base import Transform


@final
@dataclass(frozen=True)
class ClipNorm(Transform):
    r"""g_i min(1, n^{-power} threshold / \|g_i\|); power = 1/2 in the paper.

    If n independent noises make up the gradients, their sum has n^{1/2} times the norm of each:
    local thresholds n^{-1/2} that for the sum clip as much. Where the workers' gradients point the
    same way the sum is n times each, and the same local thresholds leave n^{1/2} times what was
    asked for; as thresholds for the mean they cut it n^{1/2} times too short (erratum E33).

    Raises:
        ValueError: threshold <= 0, or power outside [0, 1].
    """

    threshold: float
    power: float = 0.5

    def __post_init__(self) -> None:
        if not (self.threshold > 0 and math.isfinite(self.threshold)):
            raise ValueError(
                f"threshold must be positive and finite, got threshold={self.threshold}"
            )
        if not 0 <= self.power <= 1:
            raise ValueError(f"power must lie in [0, 1], got power={self.power}")

    @property
    def name(self) -> str:
        return f"clipped at {self.threshold:g} n^-{self.power:g}"

    def row_kernel(self, d: int, dtype: torch.dtype, n: int) -> RowPart:
        return RowPart(clipped_norms, numbers(dtype, self._limit(n)), draws=False)

    def _limit(self, n: int) -> float:
        return float(self.threshold * float(n) ** -self.power)

    def apply(self, g: Tensor, n: int) -> Tensor:
        limit = self._limit(n)
        norm = row_norms.norms(g)
        share: Tensor = limit / norm.clamp_min(limit)
        return g * share
