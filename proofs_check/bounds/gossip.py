"""Settings for the theorems on averaging without gradients: BOUND_CHECKS."""

from __future__ import annotations

from algorithms.compressors.fixed_point import FixedPoint
from algorithms.methods.exchanges.exchange import Exchange, FixedLinks, RandomLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.methods.gossip_compressed.quantised_consensus import QuantisedConsensus
from algorithms.problems import entries
from algorithms.topologies.barbell import Barbell
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.bounds.check import BoundCheck
from theory.theorems.gossip_averaging import gossip_averaging
from theory.theorems.quantised_consensus import quantised_consensus
from theory.theorems.randomised_gossip import randomised_gossip


def _linear(topology: StaticTopology, steps: int) -> BoundCheck:
    return BoundCheck(
        "fdla", f"consensus, {topology.name}", gossip_averaging,
        lambda: entries.problem("consensus", topology.n),
        lambda _s, _p, _t: GossipAveraging(FixedLinks(topology)), steps,
    )  # fmt: skip


def _random(topology: StaticTopology, steps: int) -> BoundCheck:
    return BoundCheck(
        "randomised-gossip", f"consensus, {topology.name}", randomised_gossip,
        lambda: entries.problem("consensus", topology.n),
        lambda _s, _p, _t: GossipAveraging(RandomLinks(RandomEdge(topology))), steps,
    )  # fmt: skip


def _quantised(exchange: Exchange, where: str, steps: int) -> BoundCheck:
    grid = FixedPoint(2, 12)
    return BoundCheck(
        "quantised-consensus", f"consensus, {where}", quantised_consensus,
        lambda: entries.problem("consensus", exchange.n),
        lambda _s, p, _t: QuantisedConsensus(exchange, grid, row_error=p.d * grid.step**2 / 4),
        steps,
    )  # fmt: skip


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    _linear(Ring(8), 60),
    _linear(Torus(4, 4), 30),
    _random(Ring(8), 200),
    _random(Torus(3, 3), 100),
    _random(Barbell(4), 200),
    _quantised(RandomLinks(RandomEdge(Ring(8))), Ring(8).name, 200),
    _quantised(RandomLinks(RandomEdge(Torus(3, 3))), Torus(3, 3).name, 100),
    _quantised(FixedLinks(Ring(8)), f"{Ring(8).name}, all at once", 60),
)
