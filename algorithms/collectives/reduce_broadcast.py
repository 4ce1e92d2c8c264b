"""Reduce to one worker, broadcast from it: the all-reduce that all others are measured against.

Survey 000, Section 4.1.2: a bottleneck on the root, which all vectors enter and leave.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from algorithms.collectives.base import Collective, MessageRound, messages, require_workers
from theory.seconds.collectives import CollectiveCost, reduce_broadcast_cost


@final
@dataclass(frozen=True)
class ReduceBroadcast(Collective):
    """Everybody sends its vector to worker 0, which adds them up and sends the sum to everybody.

    Attributes:
        n: number of workers.

    Raises:
        ValueError: n < 1.
    """

    n: int

    def __post_init__(self) -> None:
        require_workers(self.n)

    @property
    def name(self) -> str:
        return f"reduce and broadcast(n={self.n})"

    def rounds(self, d: int) -> Iterator[MessageRound]:
        others = np.arange(1, self.n)
        yield messages(others, 0, 0, d, True)
        yield messages(0, others, 0, d, False)

    def with_workers(self, n: int) -> ReduceBroadcast:
        return ReduceBroadcast(n)

    def cost(self) -> CollectiveCost:
        return reduce_broadcast_cost(self.n)

    @property
    def parts(self) -> int:
        return 1
