"""Reduce up a binomial tree to worker 0, and broadcast down it.

Thakur, Rabenseifner, Gropp 2005 (Int. J. High Performance Computing Applications 19).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from algorithms.collectives.base import Collective, MessageRound, messages, require_workers
from theory.seconds.collectives import CollectiveCost, binary_tree_cost


@final
@dataclass(frozen=True)
class BinaryTree(Collective):
    """Whole vectors over distances 1, 2, 4, ... up, and back down.

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
        return f"binary tree(n={self.n})"

    def rounds(self, d: int) -> Iterator[MessageRound]:
        apart = [1 << k for k in range((self.n - 1).bit_length())]
        for step in apart:
            sources = np.arange(step, self.n, 2 * step)
            yield messages(sources, sources - step, 0, d, True)
        for step in reversed(apart):
            targets = np.arange(step, self.n, 2 * step)
            yield messages(targets - step, targets, 0, d, False)

    def with_workers(self, n: int) -> BinaryTree:
        return BinaryTree(n)

    def cost(self) -> CollectiveCost:
        return binary_tree_cost(self.n)

    @property
    def parts(self) -> int:
        return 1
