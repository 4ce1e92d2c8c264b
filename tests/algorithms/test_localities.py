"""Groups of near workers by hand, and what cannot be probed."""

from __future__ import annotations

import numpy as np
import pytest

from algorithms.fabrics.localities import grouped_hosts, locality_groups, probed_seconds
from algorithms.fabrics.topologies import MachineFabric, StarFabric
from theory.seconds.costs import AlphaBeta

NEAR, FAR = AlphaBeta(1e-6, 1e-10), AlphaBeta(1e-5, 1e-9)


def test_probes_are_start_up_and_the_slowest_link() -> None:
    fabric = MachineFabric(2, 2, NEAR, FAR)
    probed = probed_seconds(fabric, (3, 0, 2), 1e6)
    near, far = 1e-6 + 1e6 * 1e-10, 1e-5 + 1e6 * 1e-9
    assert probed == pytest.approx(np.array([[0, far, near], [far, 0, far], [near, far, 0]]))


def test_groups_are_what_near_pairs_join() -> None:
    hosts = (5, 0, 3, 1, 4, 2)
    fabric = MachineFabric(2, 3, NEAR, FAR)
    groups = locality_groups(probed_seconds(fabric, hosts, 1e6))
    assert groups == ((0, 2, 4), (1, 3, 5))
    assert grouped_hosts(hosts, groups).tolist() == [5, 3, 4, 0, 1, 2]


def test_without_a_gap_or_with_unequal_groups_all_are_one() -> None:
    one_switch = probed_seconds(StarFabric(4, FAR), range(4), 1e6)
    assert locality_groups(one_switch) == ((0, 1, 2, 3),)
    uneven = probed_seconds(MachineFabric(2, 3, NEAR, FAR), (0, 1, 2, 3), 1e6)
    assert locality_groups(uneven) == ((0, 1, 2, 3),)
    assert locality_groups(np.zeros((1, 1))) == ((0,),)
    assert locality_groups(np.array([[0.0, 1.0], [9.0, 0.0]])) == ((0, 1),)


def test_refusals() -> None:
    with pytest.raises(ValueError, match="bits must be positive, got bits=0"):
        probed_seconds(StarFabric(2, FAR), (0, 1), 0)
    with pytest.raises(ValueError, match="seconds must be"):
        locality_groups(np.zeros((2, 3)))
    with pytest.raises(ValueError, match="must be positive, got 0"):
        locality_groups(np.zeros((2, 2)))
