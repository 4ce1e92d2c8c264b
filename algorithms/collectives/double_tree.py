"""Double binary tree: two trees, each for half of the vector, in which no worker is inner twice.

Sanders, Speck, Traff 2009 (Parallel Computing 35): every worker sends and receives at most one
message at a time in both trees together. NCCL's trees for many GPUs.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import final

import numpy as np

from algorithms.collectives.base import Collective, MessageRound, bounds, messages, require_workers
from theory.seconds.collectives import CollectiveCost
from theory.seconds.hierarchies import double_tree_cost

Edge = tuple[int, int, int]
"""Tree 0 or 1, child, parent."""


@final
@dataclass(frozen=True)
class DoubleTree(Collective):
    """Blocks go up both trees one behind another, and down again when all have arrived.

    Edges have two colours, and those of one colour are used at even times, of the other at odd
    ones: no node has two children, or two parents, of one colour.

    Attributes:
        n: number of workers.
        blocks: into how many each half of the vector is cut.

    Raises:
        ValueError: n or blocks below 1.
    """

    n: int
    blocks: int = 1

    def __post_init__(self) -> None:
        require_workers(self.n)
        if self.blocks < 1:
            raise ValueError(f"blocks must be at least 1, got blocks={self.blocks}")

    @property
    def name(self) -> str:
        return f"double tree(n={self.n}, blocks={self.blocks})"

    def rounds(self, d: int) -> Iterator[MessageRound]:
        times = edge_times(self.n)
        edges = bounds(d, 2 * self.blocks)
        found: dict[int, list[tuple[int, int, int, int]]] = {}
        for (tree, child, parent), time in times.items():
            for block in range(self.blocks):
                part = tree * self.blocks + block
                where = child, parent, int(edges[part]), int(edges[part + 1])
                found.setdefault(time + 2 * block, []).append(where)
        columns = {t: np.array(found[t]).T for t in sorted(found)}
        for source, target, start, stop in columns.values():
            yield messages(source, target, start, stop, True)
        for source, target, start, stop in reversed(columns.values()):
            yield messages(target, source, start, stop, False)

    def with_workers(self, n: int) -> DoubleTree:
        return DoubleTree(n, self.blocks)

    def cost(self) -> CollectiveCost:
        return double_tree_cost(self.n, self.blocks)

    @property
    def parts(self) -> int:
        return 2 * self.blocks


def in_order_tree(n: int, first: int = 0) -> tuple[int, dict[int, int]]:
    """Root and parents of a binary tree whose leaves are the even places.

    The root's left subtree is complete and as large as it can be.
    """
    if n == 1:
        return first, {}
    left = (1 << (n.bit_length() - 1)) - 1
    root = first + left
    parents: dict[int, int] = {}
    for size, start in ((left, first), (n - 1 - left, root + 1)):
        if size:
            top, below = in_order_tree(size, start)
            parents |= below | {top: root}
    return root, parents


def tree_edges(n: int) -> tuple[Edge, ...]:
    """Edges of both trees; the second is mirrored for even n, and turned by one for odd n."""
    _, parents = in_order_tree(n)
    place = range(n)[::-1] if n % 2 == 0 else [(p - 1) % n for p in range(n)]
    pairs = [(0, child, parent) for child, parent in parents.items()]
    return (*pairs, *((1, place[child], place[parent]) for _, child, parent in pairs))


@cache
def edge_times(n: int) -> dict[Edge, int]:
    """Time at which the first block crosses each edge upwards; its parity is the edge's colour.

    Two times for each depth: what comes from below has arrived before.
    """
    colours = _coloured(tree_edges(n))
    up = {(tree, child): parent for tree, child, parent in colours}

    def depth(tree: int, node: int) -> int:
        return 1 + depth(tree, up[tree, node]) if (tree, node) in up else 0

    height = n.bit_length() - 1
    return {e: 2 * (height - depth(e[0], e[1])) + colour for e, colour in colours.items()}


def _coloured(edges: tuple[Edge, ...]) -> dict[Edge, int]:
    """Two colours: a node's two upward edges differ, and so do the edges to its two children.

    Each rule pairs edges, so that edges and rules are paths and even circles.
    """
    unlike: dict[Edge, list[Edge]] = {edge: [] for edge in edges}
    ends: dict[tuple[int, int], Edge] = {}
    for edge in edges:
        for key in ((0, edge[1]), (1, edge[2])):  # who sends, who receives
            if key in ends:
                unlike[edge].append(ends[key])
                unlike[ends[key]].append(edge)
            ends[key] = edge
    colours: dict[Edge, int] = {}
    for first in edges:
        todo = [(first, 0)]
        while todo:
            edge, colour = todo.pop()
            if edge not in colours:
                colours[edge] = colour
                todo += [(other, 1 - colour) for other in unlike[edge]]
    return colours
