"""Transport of gradients on a cluster: sums by architecture, lists to all, neighbours."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import lru_cache

import numpy as np

from algorithms.clusters.cluster import Cluster
from algorithms.collectives.base import Collective, messages
from algorithms.collectives.hierarchical import BlueConnect
from algorithms.collectives.phases import Rings, around
from algorithms.collectives.recursive import HalvingDoubling
from algorithms.collectives.ring import RingAllReduce
from algorithms.collectives.servers import ServerShards
from algorithms.collectives.sparse import SparseAllGather
from algorithms.core.names import look_up
from algorithms.fabrics.program_times import (
    FabricRegime,
    TimedLengths,
    program_times,
    rounds_times,
)
from algorithms.fabrics.topologies import MachineFabric
from algorithms.schedules.carrier import Carrier, Channel, ChannelRegime
from theory.seconds.costs import AlphaBeta
from theory.seconds.servers import threaded_beta

_MOST_SERVERS = 64

Phase = tuple[Collective, tuple[int, ...]]
"""A collective, and the host of each of its nodes."""

ARCHITECTURES = {
    "ring": "a ring of all workers",
    "halving-doubling": "recursive halving and doubling",
    "two-level": "reduce-scatter within machines, then between them (BlueConnect)",
    "servers": "a sum within each machine, then a server on each for its slice of the model",
}
"""Ways to sum gradients, by the name that commands use."""


@lru_cache(maxsize=1024)
def sums(cluster: Cluster, n: int, architecture: str) -> Carrier:
    """Sums of n workers' gradients, one at a time.

    Raises:
        ValueError: no such architecture, or n workers do not fill machines.
    """
    phases = look_up("architecture", architecture, _PHASES)(*cluster.placed(n))
    regimes = cluster.regimes(n)
    times = [_timed(phase, regimes) for phase in phases]
    if isinstance(phases[-1][0], ServerShards) and n > cluster.workers:
        copied = 1 / cluster.thread
        times[-1] = tuple(t._replace(beta=threaded_beta(t.beta, copied)) for t in times[-1])
    channel = _channel(architecture, times)
    if cluster.left == 1:
        return Carrier((channel,))
    # what the workers' own machines would take if the network took no time at all
    free = cluster.regimes(n, AlphaBeta(0.0, 1e-30))
    within = _channel("", [_timed(phase, free) for phase in phases]).beta / cluster.left
    return Carrier((replace(channel, busy_beta=max(channel.beta, within)),))


@lru_cache(maxsize=1024)
def gathers(cluster: Cluster, n: int, around_ring: bool) -> Carrier:
    """Every worker's message to all others, one such exchange at a time.

    By doubling in few rounds, or around a ring, which crosses each machine's link once.
    """
    regimes = cluster.regimes(n)
    if around_ring:
        rings = Rings.from_nodes(np.arange(n)[None], 0, n)
        whole = _channel("all-gather, ring", [rounds_times(around(rings, False), n, regimes)])
    else:
        whole = _channel("all-gather", [_timed((SparseAllGather(n), tuple(range(n))), regimes)])
    # the vector of these programs is all messages one behind another
    return Carrier((_stretched(whole, n),))


@lru_cache(maxsize=1024)
def neighbours(cluster: Cluster, n: int, degree: int) -> Carrier:
    """Every worker's message to ``degree`` others, those next to it on a ring of all workers.

    Raises:
        ValueError: a degree that n workers cannot have.
    """
    if not 0 <= degree < n:
        raise ValueError(f"degree must be at least 0 and below n={n}, got degree={degree}")
    hops = [(-1) ** i * (i // 2 + 1) for i in range(degree)]
    worker = np.arange(n)
    rounds = [messages(worker, (worker + hop) % n, 0, 1, False) for hop in hops]
    times = rounds_times(rounds, 1, cluster.regimes(n))
    return Carrier((_channel("neighbours", [times]),))


def _ring(machines: int, workers: int) -> Sequence[Phase]:
    n = machines * workers
    return ((RingAllReduce(n), tuple(range(n))),)


def _halving(machines: int, workers: int) -> Sequence[Phase]:
    n = machines * workers
    return ((HalvingDoubling(n), tuple(range(n))),)


def _two_level(machines: int, workers: int) -> Sequence[Phase]:
    n = machines * workers
    return ((BlueConnect((workers, machines)), tuple(range(n))),)


def _servers(machines: int, workers: int) -> Sequence[Phase]:
    """Machines sum within at once, which share nothing: the first stands for all."""
    leaders = tuple(machine * workers for machine in range(machines))
    within = RingAllReduce(workers), tuple(range(workers))
    return within, (ServerShards(machines, machines), leaders * 2)


_PHASES: dict[str, Callable[[int, int], Sequence[Phase]]] = {
    "ring": _ring, "halving-doubling": _halving, "two-level": _two_level, "servers": _servers,
}  # fmt: skip


def _timed(phase: Phase, regimes: Sequence[FabricRegime]) -> tuple[TimedLengths, ...]:
    collective, hosts = phase
    if isinstance(collective, ServerShards) and collective.n > _MOST_SERVERS:
        return sharded_times(collective.n, regimes)
    return program_times(collective, regimes, hosts)


def sharded_times(machines: int, regimes: Sequence[FabricRegime]) -> tuple[TimedLengths, ...]:
    """Push and pull between machines with a server on each, in closed form: every machine's link
    carries (M - 1)/M of the vector out and in, in each of two rounds of messages of 1/M.

    What the program of messages takes, which has M^2 of them in a round.

    Raises:
        ValueError: the regimes are not those of machines.
    """
    timed = []
    for most, fabric in regimes:
        if not isinstance(fabric, MachineFabric):
            raise ValueError(f"regimes must be of machines, got {fabric.name}")
        one = max(fabric.network.beta, fabric.pcie.beta)
        beta = 2 * (1 - 1 / machines) * one
        timed.append(TimedLengths(most * machines, 2 * fabric.network.alpha, beta))
    return tuple(timed)


def _channel(name: str, phases: Sequence[Sequence[TimedLengths]]) -> Channel:
    """Phases one after another, as one channel: their times added, length by length."""
    knots = sorted({one.most for times in phases for one in times})
    parts = [[next(one for one in times if knot <= one.most) for times in phases] for knot in knots]
    regimes = [
        ChannelRegime(
            knot, math.fsum(one.alpha for one in part), math.fsum(one.beta for one in part)
        )
        for knot, part in zip(knots, parts, strict=True)
    ]
    *short, last = regimes
    return Channel(name, last.alpha, last.beta, regimes=tuple(short))


def _stretched(channel: Channel, times: float) -> Channel:
    """Messages that are so many times as long as the caller says."""
    return replace(
        channel, beta=channel.beta * times,
        regimes=tuple(
            ChannelRegime(one.most / times, one.alpha, one.beta * times)
            for one in channel.regimes
        ),
    )  # fmt: skip
