"""Schedules on fabrics: closed forms without contention, regimes by hand, jobs that share links."""

from __future__ import annotations

import math

import numpy as np
import pytest

from algorithms.collectives.hierarchical import Hierarchical
from algorithms.collectives.recursive import HalvingDoubling
from algorithms.collectives.ring import RingAllReduce
from algorithms.fabrics.base import program_seconds, round_kinds
from algorithms.fabrics.program_times import FabricRegime, program_times
from algorithms.fabrics.topologies import FatTreeFabric, MachineFabric, StarFabric, TorusFabric
from algorithms.schedules import SCHEDULES
from algorithms.schedules.carrier import Channel, ChannelRegime, all_reduce
from algorithms.schedules.contention import SharedNetwork, TrainingJob, always
from algorithms.schedules.fabric_carriers import carried
from algorithms.schedules.shared_fabric import PlacedJob, SharedFabric
from algorithms.schedules.step import step_of
from algorithms.workloads import WORKLOADS
from theory.seconds.costs import AlphaBeta

LINK, QUICK = AlphaBeta(2e-5, 1e-10), AlphaBeta(2e-6, 1e-11)


def alone(fabric):
    return (FabricRegime(math.inf, fabric),)


@pytest.mark.parametrize("fabric", [
    StarFabric(8, LINK), FatTreeFabric(4, LINK, 3.0), TorusFabric(2, 4, LINK),
    MachineFabric(4, 2, QUICK, LINK),
])  # fmt: skip
@pytest.mark.parametrize("one", [RingAllReduce(8), HalvingDoubling(8), Hierarchical(8, 2)])
def test_times_by_length_are_those_of_the_program(fabric, one):
    """At any length and contention: the affine form, and the program message by message."""
    ((most, alpha, beta),) = program_times(one, alone(fabric))
    for bits in (0.0, 1e3, 1e6, 1e9):
        taken = program_seconds(one.rounds(one.parts), fabric, bits / one.parts)
        assert alpha + beta * bits == pytest.approx(taken, rel=1e-12)
    assert most == math.inf


def test_schedules_on_a_switch_take_what_closed_forms_say():
    step = step_of(WORKLOADS["alexnet"], 0.1)
    for n in (2, 8, 32):
        on_fabric = carried(RingAllReduce(n), alone(StarFabric(n, LINK)))
        for name in ("bsp", "wfbp", "mg-wfbp", "p3", "bytescheduler", "fusion"):
            closed = SCHEDULES[name].seconds(step, all_reduce(LINK, n))
            assert SCHEDULES[name].seconds(step, on_fabric) == pytest.approx(closed, rel=1e-12)


def test_four_workers_of_a_machine_share_its_link_but_not_in_a_ring():
    """Halving and doubling sends four messages at once over a machine's link, a ring one."""
    fabric = MachineFabric(8, 4, QUICK, LINK)
    ring, halved = (
        carried(one, alone(fabric)).whole for one in (RingAllReduce(32), HalvingDoubling(32))
    )
    assert ring.beta == pytest.approx(2 * 31 / 32 * LINK.beta)
    across = sum(4 * 2.0**-k for k in (1, 2, 3))  # partners 16, 8, 4 apart are on other machines
    within = sum(2.0**-k for k in (4, 5))
    assert halved.beta == pytest.approx(2 * (across * LINK.beta + within * QUICK.beta))
    assert halved.alpha == pytest.approx(2 * (3 * LINK.alpha + 2 * QUICK.alpha))


def test_short_messages_are_in_their_own_regime():
    """Slices of m/4 of a ring of four: up to 4 x 1,000 bits the slow link, then the quick one."""
    regimes = (FabricRegime(1e3, StarFabric(4, LINK)), FabricRegime(math.inf, StarFabric(4, QUICK)))
    channel = carried(RingAllReduce(4), regimes).whole
    assert channel.regimes[0].most == pytest.approx(4e3)
    bits = np.array([1.0, 4e3, 4.1e3, 1e9])
    want = [RingAllReduce(4).cost().seconds(LINK if m <= 4e3 else QUICK, m) for m in bits]
    assert channel.ends(np.zeros(4), bits, 9.0) == pytest.approx(want)
    steps = [2e-5, 2e-5, 2e-6, 2e-6]
    assert channel.rates(bits)[0] == pytest.approx([6 * alpha for alpha in steps])


def test_a_busy_device_slows_every_regime_to_its_own_rate():
    """Short messages are slower than that already, long ones are not: 4 s busy, 1 s a bit then."""
    short = ChannelRegime(2.0, 0.5, 3.0)
    channel = Channel("x", 1.0, 0.25, busy_beta=1.0, regimes=(short,))
    ends = channel.ends(np.zeros(3), np.array([2.0, 3.0, 5.0]), 4.0)
    assert ends == pytest.approx([6.5, 4.0, 4.5])


def test_lengths_of_a_program_with_rounds_of_several_lengths():
    """Halves, then quarters: the knots of both, and the right regime in between."""
    regimes = (FabricRegime(1e3, StarFabric(4, LINK)), FabricRegime(math.inf, StarFabric(4, QUICK)))
    times = program_times(HalvingDoubling(4), regimes)
    assert [one.most for one in times] == [2e3, 4e3, math.inf]
    assert [one.alpha for one in times] == pytest.approx([8e-5, 4e-5 + 4e-6, 8e-6])
    assert times[1].beta == pytest.approx(2 * (QUICK.beta / 2 + LINK.beta / 4))


def test_a_job_alone_takes_its_program():
    one = Hierarchical(8, 2)
    fabric = MachineFabric(4, 2, QUICK, LINK)
    job = PlacedJob("a", 0.3, 8e7, one, tuple(range(8)), steps=3, start=1.0)
    sum_seconds = program_seconds(one.rounds(8), fabric, 1e7)
    (end,) = SharedFabric(fabric).ends((job,))
    assert end == pytest.approx(1 + 3 * (0.3 + sum_seconds))


def test_jobs_slow_each_other_on_common_links_only():
    fabric = StarFabric(8, AlphaBeta(0.0, 1e-9))
    first, second = (
        PlacedJob(name, 0.0, 4e6, RingAllReduce(4), hosts)
        for name, hosts in (("a", (0, 1, 2, 3)), ("b", (4, 5, 6, 7)))
    )
    alone_seconds = RingAllReduce(4).cost().seconds(AlphaBeta(0.0, 1e-9), 4e6)
    shared = SharedFabric(fabric)
    assert shared.ends((first, second)) == pytest.approx((alone_seconds,) * 2)
    same = second._replace(hosts=first.hosts)
    assert shared.ends((first, same)) == pytest.approx((2 * alone_seconds,) * 2)


def test_jobs_on_one_link_are_those_of_the_shared_network():
    """Two workers each: a sum is two messages of half the vector each way, one link's bits."""
    link = AlphaBeta(0.0, 1e-9)
    jobs = [("a", 0.2, 1e9, 3, 0.0), ("b", 0.5, 5e8, 2, 0.1), ("c", 0.1, 2e8, 4, 0.35)]
    on_network = SharedNetwork(link.beta, 0.0, always, 3).ends(
        tuple(TrainingJob(name, c, m, k, at) for name, c, m, k, at in jobs)
    )
    on_fabric = SharedFabric(StarFabric(2, link)).ends(
        tuple(PlacedJob(name, c, m, RingAllReduce(2), (0, 1), k, at) for name, c, m, k, at in jobs)
    )
    assert on_fabric == pytest.approx(on_network)


def test_rounds_within_a_host_take_no_time():
    assert round_kinds(RingAllReduce(4).rounds(4), (0, 0, 0, 0)) == ()


def test_bad_carriers_and_jobs_are_named():
    ring, star = RingAllReduce(4), StarFabric(4, LINK)
    job = PlacedJob("a", 0.0, 1.0, ring, (0, 1, 2, 3))
    for make, told in (
        (lambda: program_times(ring, ()), "regimes must grow and end with an infinite one"),
        (lambda: program_times(ring, (FabricRegime(5.0, star),)), "end with an infinite one"),
        (lambda: SharedFabric(star).ends(()), "jobs must be named apart"),
        (lambda: SharedFabric(star).ends((job._replace(hosts=(0,)),)), "one for each of 4 nodes"),
        (lambda: SharedFabric(star).ends((job._replace(bits=0.0),)), "bits must be positive"),
        (
            lambda: Channel("x", 0, 1, regimes=(ChannelRegime(2, 0, 1), ChannelRegime(1, 0, 1))),
            "regimes must",
        ),
    ):
        with pytest.raises(ValueError, match=told):
            make()
