"""Edges of a graph, as methods that work on edges or on classes of nodes take them."""

from __future__ import annotations

from functools import lru_cache

import networkx as nx
import numpy as np

from algorithms.topologies.base import Neighbours, StaticTopology
from theory.arrays import Floats


def adjacency(topology: StaticTopology) -> Neighbours:
    """Weights 1 between neighbours, 0 for oneself: mixing with them sums the neighbours' rows.

    Raises:
        ValueError: a worker without a neighbour, or edges of one direction only.
    """
    return _adjacency(topology)


@lru_cache(maxsize=64)
def _adjacency(topology: StaticTopology) -> Neighbours:
    return Neighbours(_matrix(topology))


def _matrix(topology: StaticTopology) -> Floats:
    w: Floats = (topology.matrix(0) != 0).astype(np.float64)
    np.fill_diagonal(w, 0.0)
    if (w != w.T).any():
        raise ValueError(f"{topology.name} has edges of one direction; both are needed")
    lonely = np.flatnonzero(w.sum(axis=1) == 0)
    if lonely.size:
        raise ValueError(
            f"every worker needs a neighbour, got {topology.name} with worker {int(lonely[0])} "
            "alone; two connected workers at least would do"
        )
    return w


@lru_cache(maxsize=64)
def edges(topology: StaticTopology) -> tuple[tuple[int, int], ...]:
    """Edges (i, j) with i < j, in order."""
    w = _matrix(topology)
    return tuple((int(i), int(j)) for i, j in np.argwhere(w) if i < j)


@lru_cache(maxsize=64)
def colouring(topology: StaticTopology) -> tuple[int, ...]:
    """A colour for each worker, neighbours of different ones (networkx's greedy colouring)."""
    graph = nx.from_numpy_array(_matrix(topology))
    colours = nx.greedy_color(graph, strategy="largest_first")
    return tuple(colours[i] for i in range(topology.n))
