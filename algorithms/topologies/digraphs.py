"""Directed graphs as adjacency matrices, and the refusal of those that are not connected."""

from __future__ import annotations

from collections.abc import Iterable

import networkx as nx
import numpy as np

from algorithms.topologies.graphs import need_one
from theory.arrays import Floats

Link = tuple[int, int]
"""Sender and receiver."""


def in_adjacency(n: int, links: Iterable[Link]) -> Floats:
    """Adjacency ``[n, n]``: 1 at [i, j] where i hears j.

    Raises:
        ValueError: a link of a worker to itself, or of one that there is not.
    """
    a = np.zeros((n, n))
    for sender, receiver in links:
        if sender == receiver or not (0 <= sender < n and 0 <= receiver < n):
            raise ValueError(
                f"links must join two of the workers 0, ..., {n - 1}, got {(sender, receiver)}; "
                "what a worker keeps needs no link"
            )
        a[receiver, sender] = 1.0
    return a


def need_strong(adjacency: Floats, subject: str, remedy: str) -> None:
    """Refuse a directed graph that is not strongly connected, naming its components.

    Raises:
        MixingError: names ``subject``, the components and ``remedy``.
    """
    graph = nx.from_numpy_array(adjacency.T, create_using=nx.DiGraph)
    need_one(nx.strongly_connected_components(graph), subject, "strongly connected", remedy)
