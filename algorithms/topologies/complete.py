"""Complete graph: everyone talks to everyone."""

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
class Complete(Family):
    r"""All n workers joined; Metropolis-Hastings weights make W = J = (1/n) 1 1^T.

    One step averages: $x_i \leftarrow \bar x$. (Textbook graph.)

    Raises:
        ValueError: n < 1.
    """

    @property
    def graph_name(self) -> str:
        return f"complete(n={self.n})"

    def graph(self) -> Any:
        return nx.complete_graph(self.n)

    def laplacian_spectrum(self) -> Floats:
        return spectra.complete_laplacian(self.n)


def of_workers(n: int, weights: Weights) -> tuple[Complete, ...]:
    """The one of n workers, for the gallery."""
    return (Complete(n, weights),)
