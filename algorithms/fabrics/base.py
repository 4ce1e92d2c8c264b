"""Fabric: hosts, switches and links, a route for each pair of hosts, and seconds of a program."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, final

import networkx as nx
import numpy as np

from algorithms.collectives.base import MessageRound
from algorithms.fabrics.sharing import Sharing, max_min_rates, transfer_seconds
from theory.arrays import Floats
from theory.seconds.costs import AlphaBeta


class Fabric(ABC):
    """Hosts 0, ..., hosts - 1 of a directed graph; every link is one edge each way.

    A frozen dataclass of plain fields, so that equal fabrics share their routes.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """What tables and verdicts call it."""

    @property
    @abstractmethod
    def hosts(self) -> int:
        """Number of hosts: workers and servers."""

    @property
    @abstractmethod
    def alpha(self) -> float:
        """Seconds from the sending of a message to its first bit's arrival."""

    @abstractmethod
    def graph(self) -> Any:
        """A networkx DiGraph whose edges have a ``rate`` [bit/s]; hosts are 0, 1, ..."""

    def route(self, source: int, target: int) -> tuple[Any, ...]:
        """Nodes of the graph from host to host: one of the shortest paths, spread over pairs."""
        paths = sorted(nx.all_shortest_paths(self.graph(), source, target), key=str)
        return tuple(paths[(source + target) % len(paths)])


def add_link(graph: Any, a: Any, b: Any, link: AlphaBeta) -> None:
    """A full-duplex link between two nodes: one edge each way at its full rate.

    Raises:
        ValueError: a link that takes no time, which has no rate.
    """
    if not link.beta > 0:
        raise ValueError(f"beta of a fabric's link must be positive, got beta={link.beta}")
    graph.add_edge(a, b, rate=1 / link.beta)
    graph.add_edge(b, a, rate=1 / link.beta)


@final
class Wiring(NamedTuple):
    """A fabric's links by number.

    Attributes:
        numbers: of each edge of the graph.
        rates: of each link [bit/s].
    """

    numbers: dict[tuple[Any, Any], int]
    rates: Floats


@cache
def wiring(fabric: Fabric) -> Wiring:
    """Links of a fabric, numbered."""
    edges = list(fabric.graph().edges(data="rate"))
    numbers = {(a, b): i for i, (a, b, _) in enumerate(edges)}
    return Wiring(numbers, np.array([rate for _, _, rate in edges], dtype=np.float64))


@cache
def links_between(fabric: Fabric, source: int, target: int) -> tuple[int, ...]:
    """Numbers of the links on the route from host to host.

    Raises:
        ValueError: there is no such host.
    """
    if not (0 <= source < fabric.hosts and 0 <= target < fabric.hosts):
        raise ValueError(
            f"hosts of {fabric.name} are 0, ..., {fabric.hosts - 1}, got a message from {source} "
            f"to {target}"
        )
    path, numbers = fabric.route(source, target), wiring(fabric).numbers
    return tuple(numbers[pair] for pair in pairwise(path))


def program_seconds(
    program: Iterable[MessageRound],
    fabric: Fabric,
    element_bits: float,
    sharing: Sharing = max_min_rates,
) -> float:
    """Seconds of a program on a fabric: a round begins when all of the last has arrived.

    A round takes alpha, and then until its last message, which shares links with the others, is
    through; slices between one pair of hosts are one message.

    Raises:
        ValueError: a message to a host that is not there, or element_bits is negative.
    """
    if element_bits < 0:
        raise ValueError(f"element_bits must be at least 0, got element_bits={element_bits}")
    seconds, rates = 0.0, wiring(fabric).rates
    known: dict[tuple[bytes, bytes], float] = {}
    for one in program:
        if not one.source.size:
            continue
        pairs, place = np.unique(one.source * fabric.hosts + one.target, return_inverse=True)
        lengths = np.bincount(place, one.lengths).astype(np.float64)
        key = pairs.tobytes(), lengths.tobytes()
        if key not in known:
            routes = [links_between(fabric, *divmod(int(p), fabric.hosts)) for p in pairs]
            known[key] = transfer_seconds(routes, lengths * element_bits, rates, sharing)
        seconds += fabric.alpha + known[key]
    return seconds
