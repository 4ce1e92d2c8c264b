"""Path: a ring with one edge missing."""

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
class Path(Family):
    r"""Workers 0, 1, ..., n - 1 in a line; Metropolis-Hastings weights are 1/3 each for n >= 3.

    lam = (1 + 2 cos(pi / n)) / 3, that of a ring of 2 n workers. (Textbook graph.)

    Raises:
        ValueError: n < 1.
    """

    @property
    def graph_name(self) -> str:
        return f"path(n={self.n})"

    def graph(self) -> Any:
        return nx.path_graph(self.n)

    def laplacian_spectrum(self) -> Floats:
        return spectra.path_laplacian(self.n)


def of_workers(n: int, weights: Weights) -> tuple[Path, ...]:
    """The one of n workers, for the gallery."""
    return (Path(n, weights),)
