"""Rows of the family gossip in which workers meet in pairs, with a clock or without."""

from __future__ import annotations

from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Recipe, Row
from algorithms.catalogue.synchronous import round_trip
from algorithms.compressors.identity import Identity
from algorithms.compressors.random_mask import RandomMask
from algorithms.methods.exchanges.exchange import RandomLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD
from algorithms.methods.gossip_pairwise.gossiping_sgd import GossipingSGD
from algorithms.methods.gossip_pairwise.saps_psgd import SAPSPSGD
from algorithms.problems.base import Problem
from algorithms.topologies.bandwidth_matching import BandwidthMatching, drawn_bandwidth
from algorithms.topologies.complete import Complete
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from theory.theorems.ad_psgd import ad_psgd
from theory.theorems.gossiping_sgd_pull import gossiping_sgd_pull
from theory.theorems.randomised_gossip import randomised_gossip
from theory.theorems.saps_psgd import saps_psgd

_COMPRESSION = 4.0
_RECENCY = 5
_FAST = 0.5  # share of the links above SAPS-PSGD's threshold
_SEED = 0


def _all_values(problem: Problem, float_bits: int) -> float:
    """A bound: a mask may be full."""
    return float(problem.d * float_bits)


ENTRIES: tuple[Row, ...] = (
    entry(
        "randomised-gossip",
        Recipe(
            lambda _step, p, _t: GossipAveraging(RandomLinks(RandomEdge(Ring(p.n)))),
            (randomised_gossip,),
            Identity(),
            problems=("consensus",),
        ),
    ),
    entry(
        "ad-psgd",
        Recipe(
            lambda step, p, steps: ADPSGD(step, steps, round_trip(p), Ring(p.n)),
            (),
            Identity(),
            why="its constants are quoted from memory; the order is 1/sqrt(T)",
            least_workers=2,
            results=(ad_psgd,),
        ),
    ),
    entry(
        "gossiping-sgd",
        Recipe(
            lambda step, p, steps: GossipingSGD(step, steps, round_trip(p), Complete(p.n)),
            (gossiping_sgd_pull,),
            Identity(),
            least_workers=2,
        ),
    ),
    entry(
        "saps-psgd",
        Recipe(
            lambda step, p, _t: SAPSPSGD(
                step, BandwidthMatching(drawn_bandwidth(p.n, _SEED), _RECENCY, _FAST), _COMPRESSION
            ),
            (),
            RandomMask(1 / _COMPRESSION),
            message_bits=_all_values,
            bits_vary=True,
            cycle="the next pairs depend on which were lately used",
            why="O(1/sqrt(nT)) is stated to order only",
            results=(saps_psgd,),
        ),
    ),
)
