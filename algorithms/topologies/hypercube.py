"""Hypercube: workers talk along each bit of their number."""

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
class Hypercube(Family):
    r"""n = 2^k workers; i and j are joined if their numbers differ in one bit.

    Metropolis-Hastings weights are $1/(1+\log_2 n)$ on every edge and on the own row. Then
    $\lambda = 1 - 2/(1+\log_2 n)$, which is $|\lambda_n|$ too. (Textbook graph.)

    Raises:
        ValueError: n < 1, or not a power of two.
    """

    def __post_init__(self) -> None:
        spectra.log2_exact(self.n)

    @property
    def graph_name(self) -> str:
        return f"hypercube(n={self.n})"

    def graph(self) -> Any:
        return nx.hypercube_graph(spectra.log2_exact(self.n)) if self.n > 1 else nx.empty_graph(1)

    def laplacian_spectrum(self) -> Floats:
        return spectra.hypercube_laplacian(self.n)


def of_workers(n: int, weights: Weights) -> tuple[Hypercube, ...]:
    """The one of n workers, for the gallery; none where n is no power of two."""
    return (Hypercube(n, weights),) if n & (n - 1) == 0 else ()
