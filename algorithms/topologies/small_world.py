"""Small world: a ring of near neighbours, some of whose edges are rewired."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import networkx as nx

from algorithms.topologies.graphs import STANDARD, Graph, drawn, need_connected, need_probability
from algorithms.topologies.weights import Weights


@final
@dataclass(frozen=True)
class SmallWorld(Graph):
    """Ring of n workers, each joined to its k nearest; every edge is rewired with probability p.

    (Watts, Strogatz 1998, Nature 393.) networkx's ``watts_strogatz_graph`` with ``seed``.

    Attributes:
        weights: the rule that turns the graph into a mixing matrix.

    Raises:
        ValueError: k odd, k < 2 or k >= n; p outside [0, 1].
        MixingError: the draw is not connected; names its components.
    """

    n: int
    k: int
    p: float
    seed: int = 0
    weights: Weights = STANDARD

    def __post_init__(self) -> None:
        need_probability(self.p)
        if not 2 <= self.k < self.n or self.k % 2:
            raise ValueError(f"k must be even and lie in [2, n), got n={self.n}, k={self.k}")
        need_connected(self.graph(), self.graph_name, "a larger k or another seed would do")

    @property
    def graph_name(self) -> str:
        return f"small world(n={self.n}, k={self.k}, p={self.p:g}, seed={self.seed})"

    def graph(self) -> Any:
        return nx.watts_strogatz_graph(self.n, self.k, self.p, seed=self.seed)


def of_workers(n: int, weights: Weights) -> tuple[SmallWorld, ...]:
    """Four neighbours on n workers, a fifth of them rewired, for the gallery."""
    return drawn(lambda seed: SmallWorld(n, 4, 0.2, seed, weights)) if n >= 6 else ()
