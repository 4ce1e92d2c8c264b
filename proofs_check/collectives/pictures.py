"""Pictures of programs: who sends in which round, and for how long."""

from __future__ import annotations

import numpy as np

from algorithms.collectives.base import Collective
from algorithms.fabrics.base import program_seconds
from algorithms.fabrics.topologies import StarFabric
from proofs_check.gantt import LanePanel
from theory.seconds.costs import ETHERNET_10G

_VECTOR = 8e6  # bits: 1 MB


def message_lanes(one: Collective) -> LanePanel:
    """A lane for each node, a bar for each round in which it sends: vectors of 1 MB, 10 Gbit/s."""
    fabric, now = StarFabric(one.nodes, ETHERNET_10G), 0.0
    bars: list[tuple[float, float, float, float]] = []
    for messages in one.rounds(one.parts):
        took = program_seconds([messages], fabric, _VECTOR / one.parts)
        bars += [(node, not messages.adds, now, now + took) for node in np.unique(messages.source)]
        now += took
    lane, kind, start, stop = np.array(bars, dtype=np.float64).reshape(-1, 4).T
    lanes = (
        *(f"worker {i}" for i in range(one.n)),
        *(f"server {i}" for i in range(one.nodes - one.n)),
    )
    title = f"{one.name}: who sends in which round, 1 MB at 10 Gbit/s"
    return LanePanel(title, lanes, ("added", "copied"), lane, kind, start, stop)
