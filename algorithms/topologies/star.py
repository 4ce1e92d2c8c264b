"""Star: everyone talks to worker 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, final

import networkx as nx

from algorithms.topologies.graphs import Family
from algorithms.topologies.weights import Weights
from theory.arrays import Floats
from theory.networks import spectra


@final
@dataclass(frozen=True)
class Star(Family):
    r"""Worker 0 joined to all others; Metropolis-Hastings weights are 1/n per edge.

    $x_0 \leftarrow \bar x$ and $x_i \leftarrow x_i + (x_0 - x_i)/n$ for $i \ge 1$. Then
    $\lambda = 1 - 1/n$ (0 for n <= 2). (Textbook graph.)

    Raises:
        ValueError: n < 1.
    """

    @property
    def graph_name(self) -> str:
        return f"star(n={self.n})"

    def graph(self) -> Any:
        return nx.star_graph(self.n - 1)

    def laplacian_spectrum(self) -> Floats:
        return spectra.star_laplacian(self.n)


def of_workers(n: int, weights: Weights) -> tuple[Star, ...]:
    """The one of n workers, for the gallery."""
    return (Star(n, weights),)
