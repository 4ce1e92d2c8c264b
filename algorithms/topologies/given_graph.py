"""An undirected graph of the user's own."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, final

import networkx as nx

from algorithms.topologies.base import need_workers
from algorithms.topologies.graphs import STANDARD, Graph, need_connected
from algorithms.topologies.weights import Weights


@final
@dataclass(frozen=True)
class GivenGraph(Graph):
    """n workers and the edges between them, the caller's own; ``label`` names it in reports.

    Attributes:
        weights: the rule that turns the graph into a mixing matrix.

    Raises:
        ValueError: n < 1, or an edge that joins no two of the workers.
        MixingError: the graph is not connected; names its components.
    """

    label: str
    n: int
    edges: tuple[tuple[int, int], ...] = field(repr=False)
    weights: Weights = STANDARD

    def __post_init__(self) -> None:
        need_workers(self.n)
        for i, j in self.edges:
            if i == j or not (0 <= i < self.n and 0 <= j < self.n):
                raise ValueError(
                    f"edges must join two of the workers 0, ..., {self.n - 1}, got {(i, j)}"
                )
        need_connected(self.graph(), self.graph_name, "an edge between them would do")

    @staticmethod
    def from_graph(label: str, graph: Any, weights: Weights = STANDARD) -> GivenGraph:
        """A networkx graph, whose sorted nodes become the workers 0, 1, ...; loops are dropped."""
        number = {node: k for k, node in enumerate(sorted(graph.nodes))}
        pairs = ((number[a], number[b]) for a, b in graph.edges)
        edges = tuple(sorted({(min(p), max(p)) for p in pairs if p[0] != p[1]}))
        return GivenGraph(label, len(number), edges, weights)

    @property
    def graph_name(self) -> str:
        return f"{self.label}(n={self.n})"

    def graph(self) -> Any:
        graph = nx.empty_graph(self.n)
        graph.add_edges_from(self.edges)
        return graph
