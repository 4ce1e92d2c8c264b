"""When flows that share links end, beside SimGrid 4.1, an independent simulator.

Its library, built from the registry's source, was asked on 30 draws: fluid model CM02 without
factors, cross traffic and windows, routes of ours. All 270 ends were ours to 4.4e-16.
"""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.fabrics.base import Fabric, links_between, wiring
from algorithms.fabrics.sharing import Routes, transfer_seconds
from algorithms.fabrics.topologies import (
    BCubeFabric,
    FatTreeFabric,
    MachineFabric,
    StarFabric,
    TorusFabric,
)
from theory.arrays import Floats
from theory.seconds.costs import AlphaBeta

LINK = AlphaBeta(2.0**-17, 2.0**-30)
FABRICS: tuple[Fabric, ...] = (
    StarFabric(6, LINK), FatTreeFabric(4, LINK, 2.0), BCubeFabric(3, 2, LINK),
    TorusFabric(3, 3, LINK), MachineFabric(3, 3, AlphaBeta(0.0, LINK.beta / 4), LINK),
)  # fmt: skip
ENDS = (
    (
        149.01161193847656,
        119.20928955078125,
        111.75870895385742,
        119.20928955078125,
        104.3081283569336,
        141.56103134155273,
    ),
    (
        149.01161193847656,
        149.01161193847656,
        126.65987014770508,
        193.71509552001953,
        223.51741790771484,
        81.95638656616211,
    ),
    (
        104.3081283569336,
        96.85754776000977,
        89.40696716308594,
        126.65987014770508,
        96.85754776000977,
        89.40696716308594,
    ),
    (
        59.604644775390625,
        59.604644775390625,
        104.3081283569336,
        111.75870895385742,
        104.3081283569336,
        96.85754776000977,
    ),
    (
        134.1104507446289,
        208.6162567138672,
        171.36335372924805,
        149.01161193847656,
        171.36335372924805,
        104.3081283569336,
    ),
)
"""SimGrid's seconds until the last of nine flows has ended, six draws on each fabric."""


def unshared(routes: Routes, capacities: Floats) -> Floats:
    """Each flow as if it were alone: what must not agree."""
    return np.array([capacities[list(route)].min() for route in routes])


@pytest.mark.parametrize("which", range(len(FABRICS)))
def test_the_last_flow_ends_when_simgrid_says(which: int) -> None:
    fabric, drawn = FABRICS[which], np.random.default_rng(15 + which)
    rates, alone = wiring(fabric).rates, []
    for end in ENDS[which]:
        pairs = [drawn.choice(fabric.hosts, 2, replace=False) for _ in range(9)]
        bits = 8e9 * drawn.integers(1, 9, 9)
        routes = [links_between(fabric, int(a), int(b)) for a, b in pairs]
        assert transfer_seconds(routes, bits, rates) == pytest.approx(end, rel=1e-12)
        alone.append(transfer_seconds(routes, bits, rates, unshared) / end)
    assert min(alone) < 0.9, "without sharing they would end sooner"
