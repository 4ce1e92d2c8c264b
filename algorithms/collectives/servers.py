"""Parameter servers: workers push their vectors, and pull the sum. Servers are nodes n, n + 1, ...

Survey 001, section on architectures: traffic of 2D a worker, 2nD a single server, 2nD/S each of S
servers with an equal slice (Li et al. 2014, OSDI; BytePS, Jiang et al. 2020, OSDI).
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import final

import numpy as np

from algorithms.collectives.base import Collective, MessageRound, bounds, messages, require_workers
from theory.seconds.collectives import CollectiveCost
from theory.seconds.servers import server_tree_cost, sharded_server_cost, tree_levels


@final
@dataclass(frozen=True)
class ServerShards(Collective):
    """All workers push at once to each server its slice, and pull it from there when it is summed.

    Attributes:
        n: number of workers.
        servers: number of servers, each with 1/servers of the vector.

    Raises:
        ValueError: n or servers below 1.
    """

    n: int
    servers: int = 1

    def __post_init__(self) -> None:
        require_workers(self.n)
        if self.servers < 1:
            raise ValueError(f"servers must be at least 1, got servers={self.servers}")

    @property
    def name(self) -> str:
        return f"parameter server(n={self.n}, servers={self.servers})"

    @property
    def nodes(self) -> int:
        return self.n + self.servers

    def rounds(self, d: int) -> Iterator[MessageRound]:
        worker, shard = (x.ravel() for x in np.indices((self.n, self.servers)))
        edges = bounds(d, self.servers)
        slices = edges[shard], edges[shard + 1]
        yield messages(worker, self.n + shard, *slices, True)
        yield messages(self.n + shard, worker, *slices, False)

    def with_workers(self, n: int) -> ServerShards:
        return ServerShards(n, self.servers)

    def cost(self) -> CollectiveCost:
        return sharded_server_cost(self.n, self.servers)

    @property
    def parts(self) -> int:
        return self.servers


@final
@dataclass(frozen=True)
class ServerTree(Collective):
    """Servers add up what their children send and hand it to their parent; the sum comes down.

    Mai, Hong, Costa 2015 (HotCloud); workers are the leaves (survey 000, Section 4.1.1).

    Attributes:
        n: number of workers.
        fan_out: children of a server, at most.

    Raises:
        ValueError: n < 1, or fan_out < 2.
    """

    n: int
    fan_out: int

    def __post_init__(self) -> None:
        require_workers(self.n)
        if self.fan_out < 2:
            raise ValueError(f"fan_out must be at least 2, got fan_out={self.fan_out}")

    @property
    def name(self) -> str:
        return f"server tree(n={self.n}, fan-out {self.fan_out})"

    @property
    def nodes(self) -> int:
        return self.n + sum(tree_levels(self.n, self.fan_out))

    def rounds(self, d: int) -> Iterator[MessageRound]:
        first, count, levels = 0, self.n, []
        for servers in tree_levels(self.n, self.fan_out):
            children = np.arange(first, first + count)
            levels.append((children, first + count + np.arange(count) // self.fan_out))
            first, count = first + count, servers
        for children, parents in levels:
            yield messages(children, parents, 0, d, True)
        for children, parents in reversed(levels):
            yield messages(parents, children, 0, d, False)

    def with_workers(self, n: int) -> ServerTree:
        return ServerTree(n, self.fan_out)

    def cost(self) -> CollectiveCost:
        return server_tree_cost(self.n, self.fan_out)

    @property
    def parts(self) -> int:
        return 1
