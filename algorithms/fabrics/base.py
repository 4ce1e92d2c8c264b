"""Fabric: hosts, switches and links, a route for each pair of hosts, and seconds of a program."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Sequence
from functools import cache
from itertools import pairwise
from typing import Any, NamedTuple, final

import networkx as nx
import numpy as np

from algorithms.collectives.base import MessageRound
from algorithms.fabrics.sharing import Sharing, max_min_rates, transfer_seconds
from theory.arrays import Floats, Ints
from theory.seconds.costs import AlphaBeta


class Fabric(ABC):
    """Hosts 0, ..., hosts - 1 of a directed graph; every link is one edge each way.

    A frozen dataclass of plain fields, so that equal fabrics share their routes.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in tables and verdicts."""

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
        paths = sorted(nx.all_shortest_paths(built(self), source, target), key=str)
        return tuple(paths[(source + target) % len(paths)])

    def start_up(self, source: Ints, target: Ints) -> float:
        """Seconds of the slowest start-up of messages between these hosts."""
        return self.alpha


def add_link(graph: Any, a: Any, b: Any, link: AlphaBeta) -> None:
    """A full-duplex link between two nodes: one edge each way at its full rate.

    Raises:
        ValueError: a link that takes no time, which has no rate.
    """
    if not link.beta > 0:
        raise ValueError(f"beta of a fabric's link must be positive, got beta={link.beta}")
    graph.add_edge(a, b, rate=1 / link.beta)
    graph.add_edge(b, a, rate=1 / link.beta)


@cache
def built(fabric: Fabric) -> Any:
    """A fabric's graph, built once; not to be changed."""
    return fabric.graph()


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
    edges = list(built(fabric).edges(data="rate"))
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


@final
class RoundKind(NamedTuple):
    """Rounds of a program that are alike.

    Attributes:
        source: host of each message's sender.
        target: host of each message's receiver.
        lengths: elements of each message; slices between one pair of hosts are one message.
        repeats: how many such rounds there are.
    """

    source: Ints
    target: Ints
    lengths: Ints
    repeats: int


def round_kinds(
    program: Iterable[MessageRound], hosts: Sequence[int] | None = None
) -> tuple[RoundKind, ...]:
    """The rounds of a program by what is sent from whom to whom; those without messages left out.

    ``hosts`` says on which host each node lies, by default node i on host i. Messages within a host
    take no time, and are left out.
    """
    places = None if hosts is None else np.asarray(hosts, dtype=np.int64)
    kinds: dict[tuple[bytes, bytes], RoundKind] = {}
    last: tuple[MessageRound, tuple[bytes, bytes]] | None = None
    for one in program:
        if last is not None and _alike(one, last[0]):
            key = last[1]
        else:
            ends = (one.source, one.target)
            source, target = ends if places is None else (places[end] for end in ends)
            away = source != target
            if not away.any():
                continue
            width = int(max(source.max(), target.max())) + 1
            pairs, place = np.unique(source[away] * width + target[away], return_inverse=True)
            lengths = np.bincount(place, one.lengths[away]).astype(np.int64)
            key = (pairs // width * 2**32 + pairs % width).tobytes(), lengths.tobytes()
            kinds.setdefault(key, RoundKind(pairs // width, pairs % width, lengths, 0))
        kinds[key] = kinds[key]._replace(repeats=kinds[key].repeats + 1)
        last = one, key
    return tuple(kinds.values())


def _alike(one: MessageRound, other: MessageRound) -> bool:
    return (
        np.array_equal(one.source, other.source)
        and np.array_equal(one.target, other.target)
        and np.array_equal(one.lengths, other.lengths)
    )


def sent_seconds(
    kind: RoundKind, fabric: Fabric, element_bits: float, sharing: Sharing = max_min_rates
) -> float:
    """Seconds from the first bit of a round's messages until all have arrived.

    Raises:
        ValueError: a message to a host that is not there.
    """
    pairs = zip(kind.source.tolist(), kind.target.tolist(), strict=True)
    routes = [links_between(fabric, *pair) for pair in pairs]
    bits = np.asarray(kind.lengths * element_bits, dtype=np.float64)
    return transfer_seconds(routes, bits, wiring(fabric).rates, sharing)


def program_seconds(
    program: Iterable[MessageRound],
    fabric: Fabric,
    element_bits: float,
    sharing: Sharing = max_min_rates,
    hosts: Sequence[int] | None = None,
) -> float:
    """Seconds of a program on a fabric: a round begins when all of the last has arrived.

    A round takes its start-up, and then until its last message, which shares links with the others,
    is through; slices between one pair of hosts are one message. ``hosts`` as in
    :func:`round_kinds`.

    Raises:
        ValueError: a message to a host that is not there, or element_bits is negative.
    """
    if element_bits < 0:
        raise ValueError(f"element_bits must be at least 0, got element_bits={element_bits}")
    seconds = 0.0
    for kind in round_kinds(program, hosts):
        start = fabric.start_up(kind.source, kind.target)
        seconds += kind.repeats * (start + sent_seconds(kind, fabric, element_bits, sharing))
    return seconds
