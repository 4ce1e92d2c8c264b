"""Barbell: two cliques joined by a path."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import networkx as nx

from algorithms.topologies.graphs import STANDARD, Graph
from algorithms.topologies.weights import Weights


@final
@dataclass(frozen=True)
class Barbell(Graph):
    """Two complete graphs of ``clique`` workers, joined by a path of ``bridge`` workers.

    bridge = 0 joins them by one edge. n = 2 clique + bridge; all that one half knows of the other
    passes one narrow place, so the gap is small. (Textbook graph.)

    Attributes:
        weights: the rule that turns the graph into a mixing matrix.

    Raises:
        ValueError: clique < 2 or bridge < 0.
    """

    clique: int
    bridge: int = 0
    weights: Weights = STANDARD

    def __post_init__(self) -> None:
        if self.clique < 2 or self.bridge < 0:
            raise ValueError(
                f"clique must be at least 2 and bridge at least 0, got clique={self.clique}, "
                f"bridge={self.bridge}"
            )

    @property
    def n(self) -> int:
        """Number n of workers, the nodes of the graph."""
        return 2 * self.clique + self.bridge

    @property
    def graph_name(self) -> str:
        return f"barbell(clique={self.clique}, bridge={self.bridge})"

    def graph(self) -> Any:
        return nx.barbell_graph(self.clique, self.bridge)


EXAMPLES = (Barbell(7, 2),)


def of_workers(n: int, weights: Weights) -> tuple[Barbell, ...]:
    """Two halves of n workers, for the gallery; a bridge of one where n is odd."""
    return (Barbell(n // 2, n % 2, weights),) if n >= 4 else ()
