"""Random directed graphs, fixed or drawn anew for each step of a period."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import networkx as nx
import numpy as np

from algorithms.topologies.base import Periodic, PushTopology, checked_push, need_workers
from algorithms.topologies.digraphs import need_strong
from algorithms.topologies.graphs import need_probability
from theory.arrays import Floats
from theory.networks.weights import out_degree


@final
@dataclass(frozen=True)
class RandomDigraph(Periodic, PushTopology):
    r"""Each of the n (n - 1) directed links is there with probability p, drawn with ``seed``.

    $P_t$ has out-degree weights $1/(1+d_j^{out})$: column-stochastic, rows sum to what they may.
    With ``graphs`` > 1 the graphs of seed, seed + 1, ... follow each other in a cycle and only
    their union must be strongly connected. Graphs are those of networkx's ``gnp_random_graph``.
    (Gilbert 1959, with directed links.)

    Raises:
        ValueError: n < 1, p outside [0, 1], graphs < 1.
        MixingError: the draw is not strongly connected; names its components.
    """

    n: int
    p: float
    seed: int = 0
    graphs: int = 1

    def __post_init__(self) -> None:
        need_workers(self.n)
        need_workers(self.graphs, "graphs")
        need_probability(self.p)
        union = np.sum([_hearing(self.n, self.p, self.seed + k) for k in range(self.graphs)], 0)
        need_strong(union, self.name, "a larger p, more graphs or another seed would do")

    @property
    def name(self) -> str:
        several = f", graphs={self.graphs}" if self.graphs > 1 else ""
        return f"random digraph(n={self.n}, p={self.p:g}, seed={self.seed}{several})"

    @property
    def period(self) -> int:
        return self.graphs

    def build_period(self) -> tuple[Floats, ...]:
        drawn = [_hearing(self.n, self.p, self.seed + k) for k in range(self.graphs)]
        return checked_push([out_degree(in_adjacency) for in_adjacency in drawn])


def _hearing(n: int, p: float, seed: int) -> Floats:
    graph = nx.gnp_random_graph(n, p, seed=seed, directed=True)
    return np.asarray(nx.to_numpy_array(graph, nodelist=range(n))).T


EXAMPLES = (RandomDigraph(16, 0.3, seed=1), RandomDigraph(16, 0.08, seed=1, graphs=8))
