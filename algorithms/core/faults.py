"""Faults: gradients that go wrong at a given step, to see what a method makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor


@final
@dataclass(frozen=True)
class Faults:
    """Worker ``worker``'s gradient of step ``step`` is filled with ``value`` (NaN or infinity).

    For a method under a schedule, step counts ticks: the gradient must arrive at that very tick.
    """

    worker: int = -1
    step: int = 0
    value: float = float("nan")

    def plant(self, g: Tensor, workers: Tensor, t: int) -> Tensor:
        """g ``[..., k, d]`` of ``workers`` ``[k]`` or ``[..., k]`` with the fault of step t."""
        if self.worker < 0 or t != self.step:
            return g
        return torch.where((workers == self.worker)[..., None], self.value, g)


NO_FAULTS = Faults()
