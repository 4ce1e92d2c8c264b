"""Pairs that meet: partners, windows, shared masks, matchings, and the methods' own behaviour."""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import networkx as nx
import numpy as np
import pytest
import torch
from scipy import stats

from algorithms.compressors.random_mask import RandomMask
from algorithms.compressors.shared_mask import SharedMask
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import RandomLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD, conflicts
from algorithms.methods.gossip_pairwise.gossiping_sgd import Direction, GossipingSGD
from algorithms.methods.gossip_pairwise.saps_psgd import SAPSPSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import Asynchronous, Bulk
from algorithms.synchronisation.compute_times import Constant, Exponential
from algorithms.synchronisation.conditions import LostWorker
from algorithms.synchronisation.window import Window
from algorithms.synchronisation.worker_states import WorkerLost
from algorithms.topologies.bandwidth_matching import BandwidthMatching, drawn_bandwidth
from algorithms.topologies.complete import Complete
from algorithms.topologies.hypercube import Hypercube
from algorithms.topologies.partners import circle, halves, partners
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from algorithms.topologies.star import Star
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.paths import path, world_of
from proofs_check.methods.equivalence import Case, cross_validate
from proofs_check.verdict import Outcome
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorems.randomised_gossip import averaging_times, randomised_gossip

STEP = ConstantStep(0.1)


@pytest.fixture(scope="module")
def problem() -> Quadratic:
    return Quadratic.strongly_convex(8, 5, L=1.0, mu=0.2, sigma2=1.0, zeta2=0.5, R2=2.0)


def test_partners_are_uniform_neighbours_and_a_function_of_who_asks() -> None:
    replicas = torch.arange(6000)
    subset = torch.tensor([0, 3, 8]).expand(6000, 3)
    called = partners(Star(8), Key.seed(1), replicas, subset)
    assert bool((called[:, 1] == 0).all()) and bool((called[:, 2] == 8).all())
    counts = torch.bincount(called[:, 0], minlength=8)
    assert counts[0] == 0
    assert stats.chisquare(counts[1:].numpy()).pvalue > ALPHA
    alone = partners(Star(8), Key.seed(1), replicas[17:18], subset[17:18, :1])
    assert alone.item() == called[17, 0].item()


@pytest.mark.parametrize("topology", [Ring(6), Hypercube(8), Star(5)])
def test_halves_colour_as_networkx_does(topology) -> None:
    graph = nx.from_numpy_array(topology.matrix(0) - np.diag(np.diag(topology.matrix(0))))
    mine = halves(topology)
    assert all(mine[i] != mine[j] for i, j in graph.edges) and mine[0]


def test_circle_lists_neighbours_in_order() -> None:
    known = circle(Star(4))
    assert known.degrees.tolist() == [3, 1, 1, 1]
    assert known.ids.tolist() == [[1, 2, 3], [0, 1, 1], [0, 2, 2], [0, 3, 3]]


def test_a_window_takes_all_who_arrive_before_it_closes() -> None:
    times = Constant((1.0, 1.2, 1.4, 3.0))
    schedule = Window(0.25).schedule(4, 3, times, Key.seed(0), torch.arange(1))
    # opens at 1.0 with worker 0; 1.2 is in it; closes at 1.25, when both start again
    first, second, third = (schedule.tick(t) for t in range(3))
    assert first.arrivals.tolist() == [[0, 1]] and schedule.seconds[0, 0] == 1.25
    assert second.arrivals.tolist() == [[2]] and schedule.seconds[1, 0] == pytest.approx(1.65)
    assert third.arrivals.tolist() == [[0, 1]] and schedule.seconds[2, 0] == pytest.approx(2.5)


def test_a_window_of_no_length_is_asynchronous() -> None:
    ids = torch.arange(3)
    one = Window(0.0).schedule(5, 40, Exponential(), Key.seed(2), ids)
    other = Asynchronous().schedule(5, 40, Exponential(), Key.seed(2), ids)
    assert torch.equal(one.arrivals, other.arrivals) and torch.equal(one.seconds, other.seconds)
    with pytest.raises(ValueError, match="seconds must be finite and at least 0"):
        Window(-1.0)
    dead = LostWorker(Constant(1.0), 1, 0)
    assert Window(0.1).schedule(2, 5, dead, Key.seed(0), ids).ticks == 5
    with pytest.raises(WorkerLost):
        Window(0.1).schedule(2, 5, LostWorker(dead, 0, 0), Key.seed(0), ids)


def test_pairs_of_one_tick_conflict_as_sets_of_workers_meet() -> None:
    subset, called = torch.tensor([[0, 1, 2, 5]]), torch.tensor([[1, 3, 4, 5]])
    # 1-3 waits for 0-1, 2-4 is free, 5 calls itself: no exchange; ids of nobody never count
    assert conflicts(subset, called, 6).tolist() == [1]
    assert conflicts(torch.tensor([[6, 6]]), torch.tensor([[6, 6]]), 6).tolist() == [0]
    for choice in itertools.product(range(4), repeat=4):
        met: set[int] = set()
        expected = 0
        for i, j in enumerate(choice):
            if i != j:
                expected += bool({i, j} & met)
                met |= {i, j}
        assert conflicts(torch.arange(4), torch.tensor(choice), 4).item() == expected


def test_ad_psgd_pays_one_message_each_way_per_exchange(problem) -> None:
    method = ADPSGD(STEP, 30, Exponential(), Ring(8), Window(0.1))
    trace = run(method, problem, steps=30, replicas=4)
    gradients = method.schedule(8).for_replicas(torch.arange(4)).arrivals.lt(8).sum((0, 2))
    assert torch.equal(trace.account.sent_messages.sum(-1), 2 * gradients)
    assert torch.equal(trace.account.received_messages.sum(-1), 2 * gradients)
    assert torch.equal(trace.account.sent_bits, trace.account.sent_messages * 5 * 64)


def test_ad_psgd_talks_along_edges_only(problem) -> None:
    method = ADPSGD(STEP, 40, Exponential(), Ring(8))
    context = world_of(problem, 3, 2)
    for t in range(40):
        subset = method.init(problem.start(), context).schedule.tick(t).arrivals
        gap = (method.called(subset, t, context) - subset) % 8
        assert bool(((gap == 1) | (gap == 7)).all())


def test_the_answering_half_calls_nobody(problem) -> None:
    method = ADPSGD(STEP, 50, Exponential(), Ring(8), bipartite=True)
    moments = path(method, problem, 50, replicas=3)
    first = next(moments)
    subset = first.state.schedule.arrivals[:50, :, 0]
    account = [moment.context.network.ledger.account((3,)) for moment in moments][-1]
    callers = (subset % 2 == 0).sum(0)  # worker 0's half of the ring
    assert torch.equal(account.sent_messages.sum(-1), 2 * callers)


def test_all_at_once_without_staleness_is_serial_gossip(problem) -> None:
    one = run(ADPSGD(STEP, 20, Constant(1.0), Complete(8), Bulk()), problem, steps=20, points=2)
    assert ADPSGD(STEP, 20, Constant(1.0), Complete(8), Bulk()).schedule(8).tau == 0
    # W_7 ... W_0 of eight random pairs: closer together than the same gradients alone
    apart = run(
        GossipingSGD(STEP, 20, Constant(1.0), Complete(8), Direction.PULL, 1e-12, Bulk()),
        problem, steps=20, points=2,
    )  # fmt: skip
    assert one.consensus[0, -1] < apart.consensus[0, -1]
    assert apart.account.sent_bits.sum() == 0


@pytest.mark.parametrize("direction", list(Direction))
def test_gossiping_sends_one_message_for_each_arrival(problem, direction) -> None:
    method = GossipingSGD(STEP, 25, Exponential(), Ring(8), direction, barrier=Window(0.2))
    trace = run(method, problem, steps=25, replicas=3)
    arrived = path(method, problem, 0, replicas=3)
    schedule = next(arrived).state.schedule
    count = schedule.arrivals.lt(8).sum((0, 2))
    assert torch.equal(trace.account.sent_messages.sum(-1), count)
    assert torch.equal(trace.account.received_messages.sum(-1), count)


def test_a_shared_mask_is_one_for_all_workers_and_linear() -> None:
    replicas = torch.arange(3)
    mask = SharedMask(0.4, Key.seed(5), replicas)
    generator = torch.Generator().manual_seed(0)
    x, y = (torch.randn((3, 6, 40), generator=generator, dtype=torch.float64) for _ in range(2))
    draws = Key.seed(9).draws(replicas, torch.arange(6))
    where = mask.compress(x, draws) != 0
    assert bool((where == where[:, :1]).all()) and not bool((where[0] == where[1]).all())
    assert torch.equal(
        mask.compress(x, draws) - mask.compress(y, draws), mask.compress(x - y, draws)
    )
    own = RandomMask(0.4).compress(x, draws) != 0
    assert not bool((own == own[:, :1]).all())
    share = float(mask.coordinates(20000).double().mean())
    assert stats.binomtest(round(share * 60000), 60000, 0.4).pvalue > ALPHA


def test_a_shared_mask_is_written_and_read_without_indices() -> None:
    replicas = torch.arange(2)
    mask = SharedMask(0.5, Key.seed(5), replicas)
    x = torch.randn((2, 3, 17), generator=torch.Generator().manual_seed(1), dtype=torch.float32)
    draws = Key.seed(9).draws(replicas, torch.arange(3))
    symbols = mask.encode(x, draws)
    code = mask.code(17, x.dtype)
    lengths = code.lengths(symbols)
    assert torch.equal(lengths, 32 * mask.coordinates(17).sum(-1).expand(2, 3))
    again = mask.decode(code.unpack(code.pack(symbols), lengths), 17, x.dtype, draws)
    assert torch.equal(again, torch.where(mask.coordinates(17), x, 0))


def test_matchings_pair_everyone_with_a_linked_peer_in_turn() -> None:
    matching = BandwidthMatching(drawn_bandwidth(10, 4), 4)
    peers = np.array([matching.peers(t) for t in range(60)])
    assert (np.take_along_axis(peers, peers, axis=1) == np.arange(10)).all()
    assert (peers != np.arange(10)).all()
    for t in range(8, 56):  # whatever window of recency + a few steps: everyone in touch
        graph = nx.Graph([(i, int(j)) for row in peers[t - 8 : t + 1] for i, j in enumerate(row)])
        assert nx.is_connected(graph)
    odd = BandwidthMatching(drawn_bandwidth(5, 4))
    assert all((np.array(odd.peers(t)) == np.arange(5)).sum() == 1 for t in range(9))


def test_matchings_bridge_groups_before_they_look_at_bandwidth() -> None:
    fast, slow = 100.0, 1.0
    links = [[0.0] * 4 for _ in range(4)]
    for i, j, b in ((0, 1, fast), (2, 3, fast), (0, 2, slow), (1, 3, slow), (0, 3, slow / 2)):
        links[i][j] = links[j][i] = b
    matching = BandwidthMatching(tuple(map(tuple, links)), recency=3)
    assert matching.peers(0) == (1, 0, 3, 2)  # all apart: every link is a bridge
    assert matching.peers(1) == (2, 3, 0, 1)  # two groups are left
    assert matching.peers(2) == (1, 0, 3, 2)  # in touch: bandwidth again
    assert {matching.peers(t) for t in range(20)} == {(1, 0, 3, 2), (2, 3, 0, 1)}


@pytest.mark.parametrize(
    ("bandwidth", "told"),
    [
        (((0.0, 1.0),), "square"),
        (((0.0, 1.0), (2.0, 0.0)), r"bandwidth\[0\]\[1\]=1.0"),
        (((0.0, -1.0), (-1.0, 0.0)), "non-negative"),
        (((0.0, math.nan), (math.nan, 0.0)), "finite"),
        (((0.0, 0.0), (0.0, 0.0)), r"no link from workers \[0\]"),
    ],
)
def test_bad_bandwidths_are_refused(bandwidth, told) -> None:
    with pytest.raises(ValueError, match=told):
        BandwidthMatching(bandwidth)
    with pytest.raises(ValueError, match="recency must be at least 1"):
        BandwidthMatching(((0.0, 1.0), (1.0, 0.0)), 0)


def test_saps_without_compression_on_one_pair_is_averaging(problem) -> None:
    two = Quadratic.strongly_convex(2, 4, L=1.0, mu=0.5, zeta2=1.0)
    trace = run(SAPSPSGD(STEP, RandomEdge(Ring(2)), 1.0), two, steps=15, replicas=2)
    assert float(trace.consensus[:, 1:].max()) == 0.0


def test_randomised_gossip_states_what_a_tick_contracts_by() -> None:
    b = torch.randn((20, 3), generator=torch.Generator().manual_seed(2), dtype=torch.float64)
    consensus = Quadratic.from_arrays(torch.ones_like(b), b)
    stated = GossipAveraging(RandomLinks(RandomEdge(Complete(20)))).constants(consensus)
    assert stated.need("lam") ** 2 == pytest.approx(18 / 19, rel=1e-13)
    assert round(stated.need("lam") ** 2, 6) == 0.947368
    spread = (b - b.mean(0)).square().sum().item()
    assert stated.need("initial_potential") == pytest.approx(spread, rel=1e-12)


def test_the_bound_is_the_power_of_the_second_eigenvalue() -> None:
    c = Constants(lam=math.sqrt(18 / 19), initial_potential=3.0)
    bound = randomised_gossip.bound(c, randomised_gossip.stepsize(c, 5), np.array([0.0, 1.0, 7.0]))
    exact = [float(3 * Fraction(18, 19) ** t) for t in (0, 1, 7)]
    assert bound == pytest.approx(exact, rel=1e-14)


def test_averaging_times_are_a_factor_of_six_apart() -> None:
    low, high = averaging_times(18 / 19, 0.01)
    assert high / low == pytest.approx(6)
    assert high == pytest.approx(3 * math.log(100) / math.log(19 / 18))


def _variant(number: int) -> tuple[Method[Any], Quadratic]:
    """Forms that are no row of the catalogue, on a noisy problem."""
    noisy = Quadratic.strongly_convex(8, 5, L=1.0, mu=0.2, sigma2=1.0, zeta2=0.5, R2=2.0)
    times = Exponential()
    return (
        ADPSGD(STEP, 20, times, Ring(8), Window(0.3), bipartite=True),
        ADPSGD(STEP, 20, times, Complete(8), Bulk()),
        GossipingSGD(STEP, 20, times, Ring(8), Direction.PUSH, barrier=Window(0.3)),
        GossipingSGD(STEP, 20, times, Complete(8), Direction.PUSH, 0.5, Bulk()),
        SAPSPSGD(STEP, RandomEdge(Ring(8)), 3.0),
    )[number], noisy


@pytest.mark.sharded
@pytest.mark.slow
def test_every_form_runs_alike_on_two_ranks() -> None:
    cases = tuple(Case(f"form {k}", _variant, (k,)) for k in range(5))
    for verdict in cross_validate(cases, 2):
        assert verdict.outcome is Outcome.AGREES, verdict


def test_what_does_not_fit_is_refused(problem) -> None:
    with pytest.raises(ValueError, match="ticks must be at least 1, got ticks=0"):
        ADPSGD(STEP, 0, Exponential(), Ring(8))
    with pytest.raises(ValueError, match=r"must be bipartite.*ring\(n=7\).*odd length"):
        ADPSGD(STEP, 5, Exponential(), Ring(7), bipartite=True)
    with pytest.raises(ValueError, match="every worker needs a neighbour"):
        ADPSGD(STEP, 5, Exponential(), Ring(1))
    with pytest.raises(ValueError, match=r"probability must lie in \(0, 1\], got probability=0"):
        GossipingSGD(STEP, 5, Exponential(), Ring(8), probability=0.0)
    with pytest.raises(ValueError, match="compression must be at least 1, got compression="):
        SAPSPSGD(STEP, RandomEdge(Ring(8)), 0.5)
    for method in (
        ADPSGD(STEP, 5, Exponential(), Ring(6)),
        GossipingSGD(STEP, 5, Exponential(), Ring(6)),
        SAPSPSGD(STEP, RandomEdge(Ring(6)), 2.0),
        GossipAveraging(RandomLinks(RandomEdge(Ring(6)))),
    ):
        with pytest.raises(ValueError, match="n=6"):
            run(method, problem, steps=2)
    with pytest.raises(ValueError, match="step 5 lies beyond the schedule"):
        run(ADPSGD(STEP, 5, Exponential(), Ring(8)), problem, steps=6)


def test_with_a_threshold_many_pairs_meet_and_fast_ones_only_where_all_are_in_touch() -> None:
    """The heaviest matching lets 16 of 120 pairs meet; at random among the faster half, half
    of all do, no slower link among them unless it joins groups."""
    links = np.array(drawn_bandwidth(16, 0))
    median = np.median(links[links > 0])
    met: dict[float | None, set[tuple[int, int]]] = {}
    for fast in (None, 0.5):
        matching = BandwidthMatching(drawn_bandwidth(16, 0), 5, fast)
        steps = [{(i, j) for i, j in enumerate(matching.peers(t)) if i < j} for t in range(240)]
        met[fast] = set().union(*steps)
        for t in range(8, 240):
            window = nx.Graph([pair for pairs in steps[t - 8 : t + 1] for pair in pairs])
            assert nx.is_connected(window) and len(window) == 16
    assert len(met[None]) == 16 and len(met[0.5]) >= 60
    slow = sum(links[i, j] < median for pairs in steps for i, j in pairs)
    assert slow < 0.2 * sum(map(len, steps))
    again = BandwidthMatching(drawn_bandwidth(16, 0), 5, 0.5)
    assert again.peers(3) == matching.peers(3) == matching.peers(243), "drawn once, and repeated"
    with pytest.raises(ValueError, match=r"fast must lie in \(0, 1\], got fast=0"):
        BandwidthMatching(drawn_bandwidth(4, 0), 5, 0.0)
