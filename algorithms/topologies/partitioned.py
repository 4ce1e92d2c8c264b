"""Partition: the network falls into two parts for a while."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.topologies.losses import Delivery, Losses


@final
@dataclass(frozen=True)
class Partitioned(Losses):
    """Messages between the workers ``part`` and the others are lost at steps start <= t < stop.

    Raises:
        ValueError: an empty part, or stop <= start.
    """

    part: tuple[int, ...]
    start: int
    stop: int

    def __post_init__(self) -> None:
        if not self.part:
            raise ValueError("part must name at least one worker, got part=()")
        if self.stop <= self.start:
            raise ValueError(
                f"stop must come after start, got start={self.start}, stop={self.stop}"
            )

    @property
    def name(self) -> str:
        cut = ", ".join(map(str, self.part))
        return f"{{{cut}}} cut off at steps {self.start} to {self.stop - 1}"

    def delivery(self, t: int, key: Key, replicas: Tensor, sources: Tensor) -> Delivery:
        within = torch.zeros(sources.shape[-2], dtype=torch.bool, device=sources.device)
        within[list(self.part)] = True
        crosses = within[sources] != within[:, None]
        cut = crosses & (self.start <= t < self.stop)
        return Delivery(torch.ones_like(cut), ~cut)
