"""Links of a tree in classes: in each class a worker has at most one partner."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import networkx as nx
import torch
from torch import Tensor

from algorithms.topologies.base import StaticTopology


class TreeLinks(NamedTuple):
    """Partners and distances on a tree.

    Attributes:
        partners: of each worker in each class of links ``[classes, n]`` (int64), itself where it
            has none.
        distance: links between two workers ``[n, n]`` (int64).
    """

    partners: Tensor
    distance: Tensor

    def incoming(self, t: int) -> Tensor:
        """How many workers' rows have reached each in step t ``[n]``: those at most t + 1 away."""
        return (self.distance <= t + 1).sum(-1)


@lru_cache(maxsize=64)
def tree_links(topology: StaticTopology) -> TreeLinks:
    """Classes of the links of ``topology``, as many as the largest degree, breadth first.

    Raises:
        ValueError: the graph of its weights is no tree.
    """
    n = topology.n
    graph = nx.from_numpy_array(abs(topology.matrix(0)) > 0)
    graph.remove_edges_from(list(nx.selfloop_edges(graph)))
    if not nx.is_tree(graph):
        raise ValueError(
            f"topology must be a tree, got {topology.name} with {graph.number_of_edges()} links "
            f"of {n} workers; a path or a star would do"
        )
    used: dict[int, set[int]] = {i: set() for i in range(n)}
    classes: dict[int, list[tuple[int, int]]] = {}
    for a, b in nx.bfs_edges(graph, 0):
        place = next(c for c in range(n) if c not in used[a] | used[b])
        used[a].add(place)
        used[b].add(place)
        classes.setdefault(place, []).append((a, b))
    partners = torch.arange(n).repeat(max(1, len(classes)), 1)
    for place, links in classes.items():
        for a, b in links:
            partners[place, a], partners[place, b] = b, a
    lengths = dict(nx.all_pairs_shortest_path_length(graph))
    distance = torch.tensor([[lengths[i][j] for j in range(n)] for i in range(n)])
    return TreeLinks(partners, distance)
