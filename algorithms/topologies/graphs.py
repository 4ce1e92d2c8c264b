"""Topologies that are an undirected graph and a rule for its weights."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Any, Self, TypeVar

import networkx as nx
import numpy as np

from algorithms.topologies.base import StaticTopology, need_workers
from algorithms.topologies.weights import MetropolisHastings, Weights
from theory.arrays import Floats
from theory.networks import spectra
from theory.networks.mixing import MixingError, check_contracting
from theory.networks.weights import edge_weight

STANDARD = MetropolisHastings()
"""The weights of a graph whose user names none."""

_SEEDS = 100
Member = TypeVar("Member", bound=StaticTopology)


class Graph(StaticTopology):
    """Workers 0, ..., n - 1 are the nodes of a networkx graph, sorted; ``weights`` its rule.

    W must contract: weights without the +1 that swap the halves of a bipartite graph for ever are
    refused when the matrix is built.
    """

    weights: Weights

    @property
    @abstractmethod
    def graph_name(self) -> str:
        """Name of the graph with its parameters: ``"ring(n=8)"``."""

    @abstractmethod
    def graph(self) -> Any:
        """The networkx graph, built anew."""

    def laplacian_spectrum(self) -> Floats | None:
        """Eigenvalues ``[n]`` of the Laplacian by a closed form, 0 first; None: none is known."""
        return None

    @property
    def name(self) -> str:
        if self.weights == STANDARD:
            return self.graph_name
        return f"{self.graph_name}, {self.weights.name}"

    @property
    def signed(self) -> bool:
        return self.weights.signed

    def stated_lam(self) -> float | None:
        """max_k |1 - alpha l_k| where every edge weighs alpha and the spectrum l is known."""
        values = self.laplacian_spectrum()
        alpha = None if values is None else edge_weight(self.matrix(0))
        return None if values is None or alpha is None else spectra.lam(values, alpha)

    def adjacency(self) -> Floats:
        """1 where two workers are joined, ``[n, n]``."""
        graph = self.graph()
        a = nx.to_numpy_array(graph, nodelist=sorted(graph.nodes), weight=None)
        return np.asarray(a, dtype=np.float64)

    def build(self) -> Floats:
        a = self.adjacency()
        need_connected(nx.from_numpy_array(a), self.graph_name, "an edge between them would do")
        w = self.weights.matrix(a)
        check_contracting(w)
        return w


@dataclass(frozen=True)
class Family(Graph):
    """One graph for every number of workers ``n``.

    Attributes:
        weights: the rule that turns the graph into a mixing matrix.

    Raises:
        ValueError: n < 1.
    """

    n: int
    weights: Weights = STANDARD

    def __post_init__(self) -> None:
        need_workers(self.n)


@dataclass(frozen=True)
class Rectangle(Graph):
    """rows x cols workers, worker r * cols + c at (r, c).

    Attributes:
        weights: the rule that turns the graph into a mixing matrix.

    Raises:
        ValueError: rows < 1 or cols < 1.
    """

    rows: int
    cols: int
    weights: Weights = STANDARD

    def __post_init__(self) -> None:
        need_workers(self.rows, "rows")
        need_workers(self.cols, "cols")

    @property
    def n(self) -> int:
        """Number n of workers, the nodes of the graph."""
        return self.rows * self.cols

    @classmethod
    def square(cls, n: int, weights: Weights = STANDARD) -> Self:
        """The most nearly square one of n workers: rows is the largest divisor <= sqrt(n).

        Raises:
            ValueError: n < 1.
        """
        need_workers(n)
        rows = max(r for r in range(1, math.isqrt(n) + 1) if n % r == 0)
        return cls(rows, n // rows, weights)


def drawn(make: Callable[[int], Member]) -> tuple[Member, ...]:
    """``make(seed)`` with the first of 100 seeds whose draw is connected; nothing if none is."""
    for seed in range(_SEEDS):
        try:
            return (make(seed),)
        except MixingError:
            continue
    return ()


def need_connected(graph: Any, subject: str, remedy: str) -> None:
    """Refuse a graph that is not connected, naming its components.

    Raises:
        MixingError: names ``subject``, the components and ``remedy``.
    """
    need_one(nx.connected_components(graph), subject, "connected", remedy)


def need_one(components: Iterable[set[int]], subject: str, what: str, remedy: str) -> None:
    """Refuse more than one component.

    Raises:
        MixingError: names ``subject``, the components and ``remedy``.
    """
    parts = sorted(sorted(c) for c in components)
    if len(parts) > 1:
        shown = ", ".join("{" + ", ".join(map(str, p)) + "}" for p in parts[:8])
        more = f" and {len(parts) - 8} more" if len(parts) > 8 else ""
        raise MixingError(
            f"{subject} must be {what}, got {len(parts)} components {shown}{more}; {remedy}"
        )


def need_probability(p: float) -> None:
    """Refuse what is no probability.

    Raises:
        ValueError: p outside [0, 1].
    """
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"p must lie in [0, 1], got p={p}")
