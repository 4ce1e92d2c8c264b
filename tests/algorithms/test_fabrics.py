"""Fabrics: textbook shares, transfers by hand, routes as networkx and geometry have them."""

from __future__ import annotations

import networkx as nx
import numpy as np
import pytest

from algorithms.collectives.base import messages
from algorithms.collectives.hierarchical import Hierarchical
from algorithms.collectives.ring import RingAllReduce
from algorithms.fabrics.base import links_between, program_seconds, wiring
from algorithms.fabrics.sharing import max_min_rates, transfer_seconds
from algorithms.fabrics.topologies import (
    BCubeFabric,
    FatTreeFabric,
    MachineFabric,
    StarFabric,
    TorusFabric,
)
from theory.seconds.costs import AlphaBeta

LINK = AlphaBeta(1e-5, 1e-9)


def test_shares_of_the_textbook():
    """Bertsekas, Gallager 1992, Section 6.5.2: four unit links in a row, five sessions."""
    routes = [[0, 1], [1], [1, 2], [2], [3]]
    assert max_min_rates(routes, np.ones(4)) == pytest.approx([1 / 3, 1 / 3, 1 / 3, 2 / 3, 1])
    assert max_min_rates([[], [0]], np.array([2.0])).tolist() == [np.inf, 2.0]
    with pytest.raises(ValueError, match="capacities must be positive"):
        max_min_rates([[0]], np.zeros(1))


def test_who_ends_leaves_its_room_to_the_others():
    """Two transfers of 1 and 3 on one link of rate 1: at 2 the first ends, at 4 the second."""
    assert transfer_seconds([[0], [0]], np.array([1.0, 3.0]), np.ones(1)) == pytest.approx(4)
    assert transfer_seconds([[0], [0, 1]], np.array([1.0, 1.0]), np.array([1, 0.25])) == 4.0
    assert transfer_seconds([], np.zeros(0), np.ones(1)) == 0


@pytest.mark.parametrize(
    ("fabric", "hosts", "diameter"),
    [
        (StarFabric(5, LINK), 5, 2),
        (FatTreeFabric(4, LINK), 16, 6),
        (BCubeFabric(3, 2, LINK), 9, 4),
        (TorusFabric(3, 4, LINK), 12, 3),
        (MachineFabric(2, 4, LINK, LINK), 8, 4),
    ],
)
def test_routes_are_shortest(fabric, hosts, diameter):
    assert fabric.hosts == hosts
    graph = fabric.graph()
    lengths = [
        (len(links_between(fabric, a, b)), nx.shortest_path_length(graph, a, b))
        for a in range(hosts)
        for b in range(hosts)
        if a != b
    ]
    assert all(mine == least for mine, least in lengths)
    assert max(least for _, least in lengths) == diameter
    assert wiring(fabric).rates.size == graph.number_of_edges()
    with pytest.raises(ValueError, match=rf"got a message from 0 to {hosts}"):
        links_between(fabric, 0, hosts)


def test_links_are_full_duplex_and_shared_one_way():
    there_and_back = messages([0, 1], [1, 0], 0, 4, True)
    one_way = messages([0, 1], [2, 2], 0, 4, True)
    star = StarFabric(3, LINK)
    assert program_seconds([there_and_back], star, 1e3) == pytest.approx(1e-5 + 4e-6)
    assert program_seconds([one_way], star, 1e3) == pytest.approx(1e-5 + 8e-6)


def test_a_thinned_core_slows_who_crosses_it_most():
    """Rings by pods cross the core twice; groups within pods less often than one ring."""
    full, thin = (FatTreeFabric(4, LINK, thinned) for thinned in (1.0, 8.0))
    ring, groups = RingAllReduce(16), Hierarchical(16, 4)
    times = {
        (one.name, fabric.name): program_seconds(one.rounds(16), fabric, 1e6)
        for one in (ring, groups)
        for fabric in (full, thin)
    }
    assert times[ring.name, full.name] == pytest.approx(ring.cost().seconds(LINK, 16e6))
    assert times[groups.name, full.name] > times[ring.name, full.name]
    assert times[groups.name, thin.name] < times[ring.name, thin.name]


def test_bad_fabrics_are_named():
    for make, told in (
        (lambda: StarFabric(0, LINK), "count must be at least 1, got count=0"),
        (lambda: FatTreeFabric(3, LINK), "k must be even and at least 2, got k=3"),
        (lambda: FatTreeFabric(4, LINK, 0.5), "thinned must be at least 1, got thinned=0.5"),
        (lambda: BCubeFabric(2, 0, LINK), "levels must be at least 1, got levels=0"),
        (
            lambda: StarFabric(2, AlphaBeta(1, 0)).graph(),
            "beta of a fabric's link must be positive",
        ),
        (lambda: program_seconds([], StarFabric(2, LINK), -1), "got element_bits=-1"),
    ):
        with pytest.raises(ValueError, match=told):
            make()
