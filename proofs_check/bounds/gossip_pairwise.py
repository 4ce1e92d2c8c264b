"""Randomised gossip under its bound."""

from __future__ import annotations

from algorithms.methods.exchanges.exchange import RandomLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.problems import entries
from algorithms.topologies.barbell import Barbell
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.bounds.check import BoundCheck
from theory.theorems.randomised_gossip import randomised_gossip


def _random(topology: StaticTopology, steps: int) -> BoundCheck:
    return BoundCheck(
        "randomised-gossip", f"consensus, {topology.name}", randomised_gossip,
        lambda: entries.problem("consensus", topology.n),
        lambda _s, _p, _t: GossipAveraging(RandomLinks(RandomEdge(topology))), steps,
    )  # fmt: skip


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    _random(Ring(8), 200),
    _random(Torus(3, 3), 100),
    _random(Barbell(4), 200),
)
