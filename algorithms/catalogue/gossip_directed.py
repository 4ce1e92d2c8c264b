"""Rows of gossip over directed links, and with rotating partners."""

from __future__ import annotations

from math import ceil, log2

from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Recipe, Row
from algorithms.compressors.identity import Identity
from algorithms.methods.exchanges.exchange import FixedLinks, RandomLinks
from algorithms.methods.gossip_directed.gossipgrad import GossipGraD
from algorithms.methods.gossip_directed.push_sum import PushSum
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.methods.gossip_directed.subgradient_push import SubgradientPush
from algorithms.problems.base import Problem
from algorithms.topologies.complete import Complete
from algorithms.topologies.digraphs import Link
from algorithms.topologies.dissemination import Dissemination
from algorithms.topologies.random_out_neighbour import RandomOutNeighbour
from algorithms.topologies.time_varying_digraph import TimeVaryingDigraph
from theory.orders.push_sum import push_sum
from theory.orders.subgradient_push import subgradient_push
from theory.theorems.push_sum_uniform import push_sum_uniform
from theory.theorems.sgp import sgp


def uneven_exponential(n: int) -> TimeVaryingDigraph:
    """At step t everyone sends 2^t hops on, and even workers 2^{t+1} too: in-degrees differ.

    One round takes ceil(log2 n) steps. Weights of push-sum leave 1 here, as they do not on graphs
    where everyone hears as much as it sends.
    """
    steps = max(1, (n - 1).bit_length())
    return TimeVaryingDigraph(n, tuple(_hops(n, k) for k in range(steps)), "uneven exponential")


def _hops(n: int, k: int) -> tuple[Link, ...]:
    sent = {(i, (i + 2**k) % n) for i in range(n)}
    sent |= {(i, (i + 2 ** (k + 1)) % n) for i in range(0, n, 2)}
    return tuple(sorted(link for link in sent if link[0] != link[1]))


def _with_weight(p: Problem, float_bits: int) -> float:
    """Sums and the weight: d + 1 numbers."""
    return float((p.d + 1) * float_bits)


ENTRIES: tuple[Row, ...] = (
    entry(
        "push-sum",
        Recipe(
            lambda _s, p, _t: PushSum(RandomLinks(RandomOutNeighbour(Complete(p.n)))),
            (),
            Identity(),
            problems=("consensus",),
            message_bits=_with_weight,
            why="the number of rounds is stated to order only; the exact factor of a round of "
            "uniform gossip is derived (push_sum_uniform)",
            results=(push_sum, push_sum_uniform),
        ),
    ),
    entry(
        "subgradient-push",
        Recipe(
            lambda step, p, _t: SubgradientPush(
                step, FixedLinks(TimeVaryingDigraph.ring_by_parts(p.n, 3))
            ),
            (),
            Identity(),
            message_bits=_with_weight,
            cycle=3,
            why="the rate is stated to order only",
            results=(subgradient_push, sgp),
        ),
    ),
    entry(
        "sgp",
        Recipe(
            lambda step, p, _t: SGP(step, FixedLinks(uneven_exponential(p.n))),
            (),
            Identity(),
            message_bits=_with_weight,
            cycle=lambda n: ceil(log2(n)),
            why="the rate is stated to order only",
            results=(sgp,),
        ),
    ),
    entry(
        "gossipgrad",
        Recipe(
            lambda step, p, _t: GossipGraD(step, FixedLinks(Dissemination(p.n))),
            (),
            Identity(),
            cycle=lambda n: n * ceil(log2(n)),
            why="the paper states no rate: full diffusion after ceil(log2 n) steps",
            results=(sgp,),
        ),
    ),
)
