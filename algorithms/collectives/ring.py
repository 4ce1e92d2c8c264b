"""Ring: parts of 1/n go round twice, once added up, once copied.

Patarasuk, Yuan 2009 (J. Parallel and Distributed Computing 69): no all-reduce sends fewer bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

from algorithms.collectives.base import Collective, MessageRound, require_workers
from algorithms.collectives.phases import around, by_dimension
from theory.seconds.collectives import CollectiveCost, ring_cost


@final
@dataclass(frozen=True)
class RingAllReduce(Collective):
    """n - 1 rounds of reduce-scatter, n - 1 of all-gather.

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
        return f"ring(n={self.n})"

    def rounds(self, d: int) -> Iterator[MessageRound]:
        return by_dimension((self.n,), (0,), 0, d, around)

    def with_workers(self, n: int) -> RingAllReduce:
        return RingAllReduce(n)

    def cost(self) -> CollectiveCost:
        return ring_cost(self.n)
