"""Hierarchical all-reduce: rings within groups, a ring of their masters, broadcasts within groups.

Jia et al. 2018 (arXiv:1807.11205), Section 3.3. A broadcast is a scatter and a ring's all-gather.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from algorithms.collectives.base import Collective, MessageRound, messages, require_workers
from algorithms.collectives.phases import Rings, around, by_dimension
from theory.seconds.collectives import CollectiveCost
from theory.seconds.hierarchies import blueconnect_cost, hierarchical_cost


@final
@dataclass(frozen=True)
class Hierarchical(Collective):
    """Three phases: all-reduce in each group, all-reduce of the masters, broadcast in each group.

    Attributes:
        n: number of workers.
        group: workers of a group, neighbours by id; the first is its master.

    Raises:
        ValueError: n < 1, or groups that do not hold all workers.
    """

    n: int
    group: int

    def __post_init__(self) -> None:
        require_workers(self.n)
        if self.group < 1 or self.n % self.group:
            raise ValueError(
                f"group must divide n={self.n} workers, got group={self.group}; "
                f"{largest_divisor(self.n, self.group)} would do"
            )

    @property
    def name(self) -> str:
        return f"hierarchical(n={self.n}, group={self.group})"

    def rounds(self, d: int) -> Iterator[MessageRound]:
        nodes = np.arange(self.n).reshape(-1, self.group)
        groups, masters = Rings.from_nodes(nodes, 0, d), Rings.from_nodes(nodes[:, :1].T, 0, d)
        for rings in (groups, masters):
            yield from around(rings, True)
            yield from around(rings, False)
        for place in range(1, self.group):
            low, high = (ends[:, place] for ends in groups.owned())
            yield messages(nodes[:, 0], nodes[:, place], low, high, False)
        yield from around(groups, False)

    def with_workers(self, n: int) -> Hierarchical:
        require_workers(n)
        return Hierarchical(n, largest_divisor(n, self.group))

    def cost(self) -> CollectiveCost:
        return hierarchical_cost(self.n, self.group)


@final
@dataclass(frozen=True)
class BlueConnect(Collective):
    """Reduce-scatters along the axes of a grid in turn, all-gathers along them backwards.

    Cho, Finkler, Kung, Hunter 2019 (MLSys): axes are the levels of a network, the fastest first.

    Attributes:
        factors: workers along each axis; their product is n.

    Raises:
        ValueError: no factor, or one below 1.
    """

    factors: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.factors or min(self.factors) < 1:
            raise ValueError(f"factors must be at least 1 each, got factors={self.factors}")

    @property
    def n(self) -> int:  # type: ignore[override]
        """Number of workers in all."""
        return int(np.prod(self.factors))

    @property
    def name(self) -> str:
        return f"BlueConnect({' x '.join(map(str, self.factors))})"

    def rounds(self, d: int) -> Iterator[MessageRound]:
        axes = range(len(self.factors))
        return by_dimension(self.factors[::-1], reversed(axes), 0, d, around)

    def with_workers(self, n: int) -> BlueConnect:
        require_workers(n)
        return BlueConnect(_prime_factors(n))

    def cost(self) -> CollectiveCost:
        return blueconnect_cost(self.factors)


def largest_divisor(n: int, most: int) -> int:
    """The largest divisor of n that is at most ``most``, at least 1."""
    return next((k for k in range(min(n, most), 1, -1) if n % k == 0), 1)


def _prime_factors(n: int) -> tuple[int, ...]:
    found, rest = [], n
    for k in range(2, n + 1):
        while rest % k == 0:
            found.append(k)
            rest //= k
    return tuple(found) or (1,)
