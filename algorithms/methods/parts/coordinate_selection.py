"""Coordinates that a worker updates in asynchronous coordinate prox (arXiv:1812.03871)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.core.key import Draws


@final
@dataclass(frozen=True)
class Selection:
    """Each coordinate with probability q, by itself: sparse uploads of DAve-RPG; q = 1: DAve-PG.
    With ``support`` all of the support of what was read too: SPY.

    Raises:
        ValueError: q outside (0, 1].
    """

    q: float
    support: bool = False

    def __post_init__(self) -> None:
        if not 0 < self.q <= 1:
            raise ValueError(f"q must lie in (0, 1], got q={self.q}")

    @property
    def name(self) -> str:
        """Name in reports, with its parameters."""
        return f"{'support and ' if self.support else ''}uniform(q={self.q:g})"

    def mask(self, read: Tensor, draws: Draws) -> Tensor:
        """Mask (bool) of the shape of ``read`` ``[..., k, d]``, the models that workers read."""
        drawn = draws.uniform(read.shape[-1], torch.float64) < self.q
        return drawn | (read != 0) if self.support else drawn
