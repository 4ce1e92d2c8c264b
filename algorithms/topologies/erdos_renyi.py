"""Erdos-Renyi graph: every edge is there with probability p."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, final

import networkx as nx

from algorithms.topologies.base import need_workers
from algorithms.topologies.graphs import STANDARD, Graph, drawn, need_connected, need_probability
from algorithms.topologies.weights import Weights


@final
@dataclass(frozen=True)
class ErdosRenyi(Graph):
    """n workers, each of the n (n - 1) / 2 edges there with probability p, drawn with ``seed``.

    networkx's ``gnp_random_graph``; connected with high probability above p = log(n) / n.
    (Gilbert 1959; Erdos, Renyi 1960.)

    Attributes:
        weights: the rule that turns the graph into a mixing matrix.

    Raises:
        ValueError: n < 1 or p outside [0, 1].
        MixingError: the draw is not connected; names its components.
    """

    n: int
    p: float
    seed: int = 0
    weights: Weights = STANDARD

    def __post_init__(self) -> None:
        need_workers(self.n)
        need_probability(self.p)
        need_connected(self.graph(), self.graph_name, "a larger p or another seed would do")

    @property
    def graph_name(self) -> str:
        return f"Erdos-Renyi(n={self.n}, p={self.p:g}, seed={self.seed})"

    def graph(self) -> Any:
        return nx.gnp_random_graph(self.n, self.p, seed=self.seed)


def of_workers(n: int, weights: Weights) -> tuple[ErdosRenyi, ...]:
    """Twice the density at which n workers become connected, for the gallery."""
    p = min(1.0, 2 * math.log(n) / n)
    return drawn(lambda seed: ErdosRenyi(n, p, seed, weights)) if n >= 6 else ()
