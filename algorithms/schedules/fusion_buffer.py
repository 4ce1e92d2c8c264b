"""Tensor fusion by a fixed buffer: Horovod."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np

from algorithms.schedules.base import CommunicationSchedule, Messages, merged_messages
from algorithms.schedules.carrier import Carrier
from algorithms.schedules.step import TrainingStep


@final
@dataclass(frozen=True)
class FusionBuffer(CommunicationSchedule):
    """Sergeev, Del Balso 2018 (Horovod, arXiv:1802.05799), Section 4.

    A background thread wakes every ``cycle`` seconds when the channel is free, and sends what is
    ready, as much of it at once as the buffer holds; a larger tensor goes alone.

    Attributes:
        buffer_bits: capacity of the buffer (64 MiB by default).
        cycle: seconds between two looks; 0: it looks all the time.

    Raises:
        ValueError: an empty buffer, or a negative cycle.
    """

    buffer_bits: float = 8.0 * 2**26
    cycle: float = 0.005

    def __post_init__(self) -> None:
        if not (self.buffer_bits > 0 and self.cycle >= 0):
            raise ValueError(
                "buffer_bits must be positive and cycle at least 0, got "
                f"buffer_bits={self.buffer_bits}, cycle={self.cycle}"
            )

    @property
    def name(self) -> str:
        return f"fusion buffer of {self.buffer_bits / 8 / 2**20:g} MiB"

    def messages(self, step: TrainingStep, carrier: Carrier) -> Messages:
        channel = carrier.whole
        groups, leaves = [], []
        free, k, count = 0.0, 0, len(step.bits)
        while k < count:
            now = self._look(max(free, float(step.ready[k])))
            size = self._fitting(step, k, now)
            sent = float(step.bits[k : k + size].sum())
            free = float(channel.ends(np.asarray(now), np.asarray(sent), step.backward_end))
            groups.append(size)
            leaves.append(now)
            k += size
        return merged_messages(step, groups)._replace(ready=np.asarray(leaves))

    def _look(self, after: float) -> float:
        """The first look at that time or later."""
        return math.ceil(after / self.cycle) * self.cycle if self.cycle else after

    def _fitting(self, step: TrainingStep, k: int, now: float) -> int:
        """Number of gradients from the k-th on that are ready and fit; at least one."""
        size, held = 1, float(step.bits[k])
        while k + size < len(step.bits) and step.ready[k + size] <= now:
            held += float(step.bits[k + size])
            if held > self.buffer_bits:
                break
            size += 1
        return size


HOROVOD = FusionBuffer()

SCHEDULES_BY_NAME = (("fusion", HOROVOD),)
