"""Directed graphs that change with time, in a cycle."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import final

import numpy as np

from algorithms.topologies.base import Periodic, PushTopology, checked_push, need_workers
from algorithms.topologies.digraphs import Link, in_adjacency, need_strong
from theory.arrays import Floats
from theory.networks.weights import out_degree


@final
@dataclass(frozen=True)
class TimeVaryingDigraph(Periodic, PushTopology):
    r"""Step t uses the directed links (sender, receiver) of ``links[t mod p]``.

    $P_t$ has out-degree weights, $1/(1+d_j^{out})$ to each receiver of j and to itself. No single
    graph need be connected; the union over a period must be strongly connected (Nedic, Olshevsky
    2016, arXiv:1406.2075, assumption 1; Assran, Loizou, Ballas, Rabbat 2019, arXiv:1811.10792).
    ``label`` names it in reports.

    Attributes:
        n: number of workers.

    Raises:
        ValueError: n < 1, or a link that joins no two workers.
        MixingError: the union of a period is not strongly connected; names its components.
    """

    n: int
    links: tuple[tuple[Link, ...], ...] = field(repr=False)
    label: str = "time-varying digraph"

    def __post_init__(self) -> None:
        need_workers(self.n)
        union = sum((in_adjacency(self.n, step) for step in self.links), np.zeros((self.n, self.n)))
        need_strong(union, f"the union of {self.name}", "links between the components would do")

    @staticmethod
    def ring_by_parts(n: int, parts: int) -> TimeVaryingDigraph:
        """The directed ring i -> i + 1, link i alive at the steps t = i mod ``parts`` only.

        Raises:
            ValueError: parts < 1.
        """
        need_workers(parts, "parts")
        around = [*range(n), 0] if n > 1 else []
        ring = tuple(pairwise(around))
        return TimeVaryingDigraph(n, tuple(ring[k::parts] for k in range(parts)), "ring by parts")

    @property
    def name(self) -> str:
        return f"{self.label}(n={self.n}, period={self.period})"

    @property
    def period(self) -> int:
        return max(1, len(self.links))

    def build_period(self) -> tuple[Floats, ...]:
        steps = self.links or ((),)
        return checked_push([out_degree(in_adjacency(self.n, links)) for links in steps])


EXAMPLES = (TimeVaryingDigraph.ring_by_parts(16, 4),)
