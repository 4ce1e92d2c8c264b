"""Packed spanning trees: as many trees without a common link as the links allow.

Wang et al. 2020 (MLSys, Blink; arXiv:1910.04940). Blink finds its packing by multiplicative weights
and rounds it; here it is exact: Edmonds 1973 says how many trees there are, the least cut, and the
proof of Lovasz 1976 (J. Combinatorial Theory B 21) grows them, link by link, one flow each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import final

import networkx as nx
import numpy as np
import scipy

from algorithms.collectives.base import (
    Collective,
    Ints,
    MessageRound,
    bounds,
    messages,
    require_workers,
)
from theory.seconds.collectives import CollectiveCost
from theory.seconds.hierarchies import packed_trees_cost

Links = tuple[tuple[int, int], ...]
"""Pairs of workers; a pair that is named twice has two links, each for both directions at once."""

_QUAD = ((0, 1), (0, 2), (0, 3), (0, 3), (1, 2), (1, 2), (1, 3), (2, 3), (2, 3))
DGX1: Links = (
    *_QUAD, *((a + 4, b + 4) for a, b in _QUAD), (0, 4), (0, 4), (1, 5), (1, 5), (2, 6), (3, 7)
)  # fmt: skip
"""NVLinks of eight V100 in a DGX-1, six each."""


@final
@dataclass(frozen=True)
class SpanningTrees(Collective):
    """Every tree reduces its share of the vector to worker 0 in blocks, and broadcasts it.

    Attributes:
        n: number of workers.
        links: between which workers there are links.
        blocks: into how many blocks a tree's share is cut.

    Raises:
        ValueError: n or blocks below 1, a link to nobody, or workers that no links join.
    """

    n: int
    links: Links
    blocks: int = 1

    def __post_init__(self) -> None:
        require_workers(self.n)
        if self.blocks < 1:
            raise ValueError(f"blocks must be at least 1, got blocks={self.blocks}")
        graph = nx.empty_graph(self.n)
        graph.add_edges_from(self.links)
        if len(graph) != self.n or not nx.is_connected(graph):
            raise ValueError(
                f"links must join workers 0, ..., {self.n - 1} and nobody else, got "
                f"links={self.links}"
            )

    @property
    def name(self) -> str:
        return f"spanning trees(n={self.n}, links={len(self.links)}, blocks={self.blocks})"

    @property
    def trees(self) -> tuple[tuple[int, ...], ...]:
        """Parent of each worker in each tree; worker 0, the root, is its own."""
        return packed(self.n, self.links)

    def rounds(self, d: int) -> Iterator[MessageRound]:
        if self.n == 1:
            return
        edges = bounds(d, len(self.trees) * self.blocks)
        times, columns, depth = [], [], self.depth
        for number, tree in enumerate(self.trees):
            depths = _depths(tree)
            for worker in range(1, self.n):
                for block in range(self.blocks):
                    part = number * self.blocks + block
                    times.append(depth - depths[worker] + block)
                    columns.append((worker, tree[worker], edges[part], edges[part + 1]))
        when, table = np.array(times), np.array(columns, dtype=np.int64).T
        rounds = [table[:, when == t] for t in range(depth + self.blocks - 1)]
        for source, target, start, stop in rounds:
            yield messages(source, target, start, stop, True)
        for source, target, start, stop in reversed(rounds):
            yield messages(target, source, start, stop, False)

    @property
    def depth(self) -> int:
        """Links between the root and who is farthest in any tree."""
        return max((max(_depths(tree)) for tree in self.trees), default=0)

    def with_workers(self, n: int) -> SpanningTrees:
        require_workers(n)
        return self if n == self.n else SpanningTrees(n, circulant(n), self.blocks)

    def cost(self) -> None:
        return None

    def port_cost(self) -> CollectiveCost:
        return packed_trees_cost(max(1, len(self.trees)), self.depth, self.blocks)

    @property
    def parts(self) -> int:
        return max(1, len(self.trees)) * self.blocks


def circulant(n: int) -> Links:
    """Links to the next worker, and to the one after it."""
    pairs = {(min(i, j), max(i, j)) for far in (1, 2) for i in range(n) for j in [(i + far) % n]}
    return tuple(sorted(pair for pair in pairs if pair[0] != pair[1]))


@cache
def _depths(tree: tuple[int, ...]) -> tuple[int, ...]:
    """Links between each worker and the root."""
    found = {0: 0}

    def depth(worker: int) -> int:
        if worker not in found:
            found[worker] = 1 + depth(tree[worker])
        return found[worker]

    return tuple(map(depth, range(len(tree))))


@cache
def packed(n: int, links: Links) -> tuple[tuple[int, ...], ...]:
    """Parents in each of as many trees without a common directed link as there can be."""
    room = np.zeros((n, n), dtype=np.int64)
    for a, b in links:
        room[a, b] += 1
        room[b, a] += 1
    number = min((_flow(room, 0, v) for v in range(1, n)), default=0)
    return tuple(_grown(room, left) for left in range(number, 0, -1))


def _grown(room: Ints, left: int) -> tuple[int, ...]:
    """One tree, the nearest to the root first, that leaves room for ``left`` - 1 others.

    A link from u, in the tree, to v may go if every set with v in it, but neither u nor the root,
    has ``left`` links into it: a flow from both to v. A link that may not go may not go later.
    """
    parents, order = {0: 0}, [0]
    for u in order:
        for v in map(int, np.flatnonzero(room[u])):
            if v not in parents and (left == 1 or _flow(room, 0, v, also=u) >= left):
                room[u, v] -= 1
                parents[v] = u
                order.append(v)
    return tuple(parents[v] for v in range(len(room)))


def _flow(room: Ints, source: int, target: int, also: int = 0) -> int:
    """The largest flow to a target, from two sources where ``also`` is another."""
    widened = room.astype(np.int32)
    if also != source:
        widened[source, also] = room.sum()
    return int(
        scipy.sparse.csgraph.maximum_flow(
            scipy.sparse.csr_array(widened), source, target
        ).flow_value
    )
