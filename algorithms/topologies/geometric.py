"""Random geometric graph: who is near enough is joined."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import networkx as nx

from algorithms.topologies.base import need_workers
from algorithms.topologies.graphs import STANDARD, Graph, drawn, need_connected
from algorithms.topologies.weights import Weights


@final
@dataclass(frozen=True)
class Geometric(Graph):
    """n workers at uniform places of the unit square, joined within ``radius``.

    networkx's ``random_geometric_graph`` with ``seed``; connected with high probability above
    radius = sqrt(log(n) / (pi n)) (Gupta, Kumar 1999).

    Attributes:
        weights: the rule that turns the graph into a mixing matrix.

    Raises:
        ValueError: n < 1 or radius < 0.
        MixingError: the draw is not connected; names its components.
    """

    n: int
    radius: float
    seed: int = 0
    weights: Weights = STANDARD

    def __post_init__(self) -> None:
        need_workers(self.n)
        if not self.radius >= 0:
            raise ValueError(f"radius must be at least 0, got radius={self.radius}")
        need_connected(self.graph(), self.graph_name, "a larger radius or another seed would do")

    @property
    def graph_name(self) -> str:
        return f"geometric(n={self.n}, radius={self.radius:g}, seed={self.seed})"

    def graph(self) -> Any:
        return nx.random_geometric_graph(self.n, self.radius, seed=self.seed)


def of_workers(n: int, weights: Weights) -> tuple[Geometric, ...]:
    """Twice the density at which n workers become connected, for the gallery."""
    radius = math.sqrt(2 * math.log(n) / (math.pi * n))
    return drawn(lambda seed: Geometric(n, radius, seed, weights)) if n >= 6 else ()
