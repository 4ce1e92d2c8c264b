"""Random regular graph: everyone has equally many neighbours, at random."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import networkx as nx

from algorithms.topologies.base import need_workers
from algorithms.topologies.graphs import STANDARD, Graph, drawn, need_connected
from algorithms.topologies.weights import Weights


@final
@dataclass(frozen=True)
class RandomRegular(Graph):
    """A graph drawn uniformly from those in which each of n workers has ``degree`` neighbours.

    networkx's ``random_regular_graph`` with ``seed``. An expander with high probability from
    degree 3 on: its gap does not shrink with n (Friedman 2008).

    Attributes:
        weights: the rule that turns the graph into a mixing matrix.

    Raises:
        ValueError: degree < 0, degree >= n, or n * degree odd.
        MixingError: the draw is not connected; names its components.
    """

    n: int
    degree: int
    seed: int = 0
    weights: Weights = STANDARD

    def __post_init__(self) -> None:
        need_workers(self.n)
        if not 0 <= self.degree < self.n or self.n * self.degree % 2:
            raise ValueError(
                "degree must lie in [0, n) and n * degree be even, got "
                f"n={self.n}, degree={self.degree}"
            )
        need_connected(self.graph(), self.graph_name, "a larger degree or another seed would do")

    @property
    def graph_name(self) -> str:
        return f"random regular(n={self.n}, degree={self.degree}, seed={self.seed})"

    def graph(self) -> Any:
        return nx.random_regular_graph(self.degree, self.n, seed=self.seed)


def of_workers(n: int, weights: Weights) -> tuple[RandomRegular, ...]:
    """Degree 4 on n workers, for the gallery."""
    return drawn(lambda seed: RandomRegular(n, 4, seed, weights)) if n >= 6 else ()
