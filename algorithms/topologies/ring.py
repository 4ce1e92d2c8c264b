"""Ring: worker i talks to i - 1 and i + 1."""

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
class Ring(Family):
    r"""Cycle of n workers; Metropolis-Hastings weights are 1/3 each for n >= 3.

    $x_i \leftarrow (x_{i-1} + x_i + x_{i+1}) / 3$. Two workers share one edge of weight 1/2. Then
    $\lambda = \max_{0<k<n} |1 + 2\cos(2\pi k/n)| / 3$, a gap of about $4\pi^2/(3n^2)$. (Textbook
    graph.)

    Raises:
        ValueError: n < 1.
    """

    @property
    def graph_name(self) -> str:
        return f"ring(n={self.n})"

    def graph(self) -> Any:
        return nx.cycle_graph(self.n) if self.n > 1 else nx.empty_graph(1)

    def laplacian_spectrum(self) -> Floats:
        return spectra.cycle_laplacian(self.n)


def of_workers(n: int, weights: Weights) -> tuple[Ring, ...]:
    """The one of n workers, for the gallery."""
    return (Ring(n, weights),)
