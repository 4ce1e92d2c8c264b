"""Linear averaging under its bound."""

from __future__ import annotations

from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.problems import entries
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.bounds.check import BoundCheck
from theory.theorems.gossip_averaging import gossip_averaging


def _linear(topology: StaticTopology, steps: int) -> BoundCheck:
    return BoundCheck(
        "fdla", f"consensus, {topology.name}", gossip_averaging,
        lambda: entries.problem("consensus", topology.n),
        lambda _s, _p, _t: GossipAveraging(FixedLinks(topology)), steps,
    )  # fmt: skip


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    _linear(Ring(8), 60),
    _linear(Torus(4, 4), 30),
)
