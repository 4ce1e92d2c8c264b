"""Rows of the family gossip that average values, without gradients."""

from __future__ import annotations

from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import Recipe, Row
from algorithms.compressors.identity import Identity
from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.topologies.grid import Grid
from algorithms.topologies.optimal_weights import FDLA
from theory.theorems.gossip_averaging import gossip_averaging

ENTRIES: tuple[Row, ...] = (
    entry(
        "fdla",
        Recipe(
            lambda _step, p, _t: GossipAveraging(FixedLinks(Grid.square(p.n, FDLA()))),
            (gossip_averaging,),
            Identity(),
            problems=("consensus",),
        ),
    ),
)
