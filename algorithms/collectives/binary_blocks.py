"""Binary blocks: n workers as powers of two that halve and double each for itself.

Rabenseifner, Traff 2004 (EuroPVM/MPI), without the overlap of one block's rounds with another's.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import final

import numpy as np

from algorithms.collectives.base import (
    Collective,
    Ints,
    MessageRound,
    bounds,
    messages,
    require_workers,
)
from algorithms.collectives.recursive import doubled, halved, power_below
from theory.seconds.collectives import CollectiveCost
from theory.seconds.hierarchies import binary_blocks_cost, powers_of


@final
@dataclass(frozen=True)
class BinaryBlocks(Collective):
    """Every block reduces; parts go up from the smallest to the largest block, and down again.

    A worker of a smaller block cuts its part into the parts of the next larger one, and sends each
    to its owner.

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
        return f"binary blocks(n={self.n})"

    @property
    def blocks(self) -> tuple[Ints, ...]:
        """Ids of the workers of each block, the largest first."""
        ends = np.cumsum([0, *powers_of(self.n)])
        return tuple(np.arange(a, b) for a, b in pairwise(ends))

    def rounds(self, d: int) -> Iterator[MessageRound]:
        yield from _beside([list(halved(ids, d)) for ids in self.blocks])
        pairs = list(pairwise(self.blocks))
        for large, small in reversed(pairs):
            yield from _between(large, small, d, upward=True)
        for large, small in pairs:
            yield from _between(large, small, d, upward=False)
        late = [list(doubled(ids, d)) for ids in self.blocks]
        yield from _beside(late)

    def with_workers(self, n: int) -> BinaryBlocks:
        return BinaryBlocks(n)

    def cost(self) -> CollectiveCost:
        return binary_blocks_cost(self.n)

    @property
    def parts(self) -> int:
        return power_below(self.n)


def _beside(programs: list[list[MessageRound]]) -> Iterator[MessageRound]:
    """Programs of several lengths at once: those with halves of one size in one round."""
    rounds = max(len(program) for program in programs)
    adds = next((one.adds for program in programs for one in program), True)
    for t in range(rounds):
        at = t if adds else t - rounds  # halvings begin together, doublings end together
        now = [one[at] for one in programs if (t if adds else -at - 1) < len(one)]
        columns = [np.concatenate([one[column] for one in now]) for column in range(4)]
        yield MessageRound(columns[0], columns[1], columns[2], columns[3], adds)


def _between(large: Ints, small: Ints, d: int, upward: bool) -> Iterator[MessageRound]:
    """Each worker of the small block and, one after another, the owners of its part's parts."""
    each, edges = large.size // small.size, bounds(d, large.size)
    for r in range(each):
        part = np.arange(small.size) * each + r
        pair = (small, large[part]) if upward else (large[part], small)
        yield messages(*pair, edges[part], edges[part + 1], upward)
