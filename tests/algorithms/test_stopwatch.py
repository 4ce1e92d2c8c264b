"""Modelled seconds of synchronous runs, against sums by hand and order statistics."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import stats

from algorithms.catalogue import METHODS, row
from algorithms.catalogue import problem as catalogue_problem
from algorithms.compressors.identity import Identity
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key
from algorithms.engine.run import run
from algorithms.methods.admm.admm_graph import GraphADMM
from algorithms.methods.admm.admm_random import RandomADMM
from algorithms.methods.admm.admm_star import StarADMM
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_compressed.quantimed import QuanTimed
from algorithms.methods.gossip_pairwise.saps_psgd import SAPSPSGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import Bulk
from algorithms.synchronisation.compute_times import Constant, Exponential
from algorithms.synchronisation.conditions import Linked, LostWorker, Repeated
from algorithms.synchronisation.stopwatch import STANDARD, Stopwatch, Timing
from algorithms.synchronisation.worker_states import WorkerLost
from algorithms.topologies.bandwidth_matching import BandwidthMatching
from algorithms.topologies.ring import Ring
from theory.seconds.costs import AlphaBeta
from theory.stepsizes import ConstantStep

STEP = ConstantStep(0.05)
N, D = 6, 10
PROBLEM = Quadratic.strongly_convex(N, D)
LINK = AlphaBeta(0.25, 2.0**-10)  # dyadic, so that sums are exact
TIMING = Timing(Constant((1.0, 0.5, 2.0, 1.5, 1.0, 1.0)), LINK)
MESSAGE = 0.25 + 64 * D * 2.0**-10


def test_a_bsp_step_waits_for_the_slowest_and_two_messages() -> None:
    trace = run(BSP(STEP), PROBLEM, steps=5, timing=TIMING)
    assert trace.seconds[0].tolist() == [t * (2.0 + 2 * MESSAGE) for t in range(6)]


def test_compression_shortens_messages_up_only() -> None:
    trace = run(BSP(STEP, TopK(2)), PROBLEM, steps=3, timing=TIMING)
    up = 0.25 + trace.account.sent_bits[0, 0].item() / 3 * 2.0**-10
    assert trace.seconds[0, -1] == 3 * (2.0 + up + MESSAGE)


def test_a_neighbours_message_takes_its_time_in_double_precision() -> None:
    """Two messages of 0.1 s each, which single precision would round."""
    timing = Timing(Constant(1.0), AlphaBeta(0.1, 0.0))
    trace = run(DPSGD(STEP, Ring(N)), PROBLEM, steps=1, timing=timing)
    assert trace.seconds[0, -1] == 1.0 + 2 * 0.1


def test_local_sgd_waits_once_in_a_period() -> None:
    trace = run(LocalSGD(STEP, 4), PROBLEM, steps=8, timing=TIMING)
    assert trace.seconds[0, -1] == 2 * (4 * 2.0 + 2 * MESSAGE)
    assert trace.seconds[0, 3] == 3 * 2.0  # nobody has met yet: the slowest worker's own time


def test_gossip_waits_for_neighbours_only() -> None:
    """After one step on a ring only the slow worker's two neighbours have waited for it."""
    one = run(DPSGD(STEP, Ring(N)), PROBLEM, steps=1, timing=TIMING)
    assert one.seconds[0, -1] == 2.0 + 2 * MESSAGE
    ten = run(DPSGD(STEP, Ring(N)), PROBLEM, steps=10, timing=TIMING)
    assert ten.seconds[0, -1] == 10 * (2.0 + 2 * MESSAGE)


def test_exponential_steps_have_the_mean_of_the_largest_of_n() -> None:
    timing = Timing(Exponential(), AlphaBeta(0.0, 0.0))
    steps, replicas = 200, 128
    mean = run(BSP(STEP), PROBLEM, steps=steps, replicas=replicas, timing=timing).seconds[:, -1]
    harmonic = sum(1 / k for k in range(1, N + 1))
    half = stats.t.isf(5e-10, replicas - 1) * mean.std(ddof=1) / replicas**0.5 / steps
    assert half < 0.05 * harmonic and abs(mean.mean() / steps - harmonic) < half


def test_a_local_solve_takes_ten_gradients_and_classes_of_a_graph_add_up() -> None:
    """Two colours of an even ring work one after the other; in turn, all its workers do."""
    problem, even = Quadratic.strongly_convex(4, D), Timing(Constant(), LINK)
    solve_and_send = 10 * 1.0 + 2 * MESSAGE
    for coloured, classes in ((True, 2), (False, 4)):
        method = GraphADMM(STEP, Ring(4), coloured=coloured)
        trace = run(method, problem, steps=3, timing=even)
        assert trace.seconds[0].tolist() == [t * classes * solve_and_send for t in range(4)]


def test_a_woken_edge_solves_sends_and_hears() -> None:
    problem = Quadratic.strongly_convex(2, D)
    timing = Timing(Constant((1.0, 0.5)), LINK)
    trace = run(RandomADMM(STEP, Ring(2)), problem, steps=4, timing=timing)
    assert trace.seconds[0].tolist() == [t * (10.0 + 2 * MESSAGE) for t in range(5)]


def test_work_of_several_gradients_draws_a_time_for_each() -> None:
    draws = Key.seed(1).draws(torch.arange(2), torch.arange(3))
    assert Repeated(Constant(0.25), 10).seconds(draws, 4).eq(2.5).all()
    long = Repeated(Exponential(1e-3), 400).seconds(draws, 8)
    assert (long / 400 - 1e-3).abs().max() < 6 * 1e-3 / 400**0.5 and long.unique().numel() == 48
    with pytest.raises(ValueError, match="count must be at least 1 gradient, got count=0"):
        Repeated(Constant(), 0)


def test_a_star_whose_workers_solve_takes_ten_gradients_a_round() -> None:
    times = Linked(Repeated(TIMING.times, 10), MESSAGE, MESSAGE)
    trace = run(StarADMM(STEP, 3, times), PROBLEM, steps=3)
    assert trace.seconds[0, -1] == 3 * (10 * 2.0 + 2 * MESSAGE)


def test_faster_links_shorten_the_messages_of_saps() -> None:
    """Everyone has one peer; the pair with the slowest link of the step is the last."""
    speeds = (
        (0.0, 4.0, 2.0, 2.0),
        (4.0, 0.0, 2.0, 2.0),
        (2.0, 2.0, 0.0, 8.0),
        (2.0, 2.0, 8.0, 0.0),
    )
    matching = BandwidthMatching(speeds)
    method, problem = SAPSPSGD(STEP, matching, 1.0), Quadratic.strongly_convex(4, D)
    trace = run(method, problem, steps=1, timing=Timing(Constant(), LINK))
    assert matching.peers(0) == (1, 0, 3, 2)
    assert trace.seconds[0, -1] == 1.0 + 0.25 + 64 * D * 2.0**-10 / 4.0
    same = replace(matching, bandwidth=tuple(tuple(v / 4 for v in row) for row in speeds))
    slow = run(replace(method, meetings=same), problem, steps=1, timing=Timing(Constant(), LINK))
    assert slow.seconds[0, -1] == 1.0 + 0.25 + 64 * D * 2.0**-10


def test_quantised_gossip_with_a_deadline_waits_for_messages_too() -> None:
    method = QuanTimed(STEP, STEP, Ring(N), Identity(), Constant(0.5), 2.0, 3, LINK)
    assert run(method, PROBLEM, steps=4).seconds[0, -1] == 4 * (2.0 + 2 * MESSAGE)


@pytest.mark.parametrize("key", [r.key for r in METHODS])
def test_every_row_takes_milliseconds_a_step(key: str) -> None:
    """One scale: a gradient takes 1 ms in the mean, so a step of any row takes a few to many."""
    problem = catalogue_problem(row(key).problems[0], 4)
    trace = run(row(key).build(problem, 12), problem, steps=12, points=2, timing=STANDARD)
    assert 1e-5 < trace.seconds[0, -1] / 12 < 0.1


def test_a_stopwatch_changes_no_iterate() -> None:
    with_, without = (
        run(BSP(STEP), PROBLEM, steps=20, replicas=2, timing=t) for t in (TIMING, None)
    )
    assert torch.equal(with_.rows, without.rows)
    assert np.isnan(without.seconds).all()


def test_schedules_bring_their_own_seconds() -> None:
    server = ParameterServer(STEP, 4, TIMING.round_trip(0, 64 * D), Bulk(), Weighting.ALL)
    assert run(server, PROBLEM, steps=4).seconds[0, -1] == 4 * (2.0 + 0.25 + MESSAGE)


@pytest.mark.parametrize(
    "method", [BSP(STEP), LocalSGD(STEP, 1), DPSGD(STEP, Ring(N))], ids=lambda m: m.name
)
def test_a_lost_worker_is_named_and_nothing_done_is_lost(method) -> None:
    timing = Timing(LostWorker(Constant(), worker=3, after=5), LINK)
    with pytest.raises(WorkerLost, match=r"waits for ever at step 5 .* for worker 3") as caught:
        run(method, PROBLEM, steps=50, timing=timing)
    assert caught.value.trace.steps[-1] >= 4 and np.isfinite(caught.value.trace.seconds).all()


def test_where_nobody_sends_nobody_waits_and_the_dead_are_not_missed() -> None:
    """A replica whose round has no sender goes on; so does one whose lost worker does not send."""
    clock = Stopwatch(TIMING, 3, Key.seed(1), torch.arange(2))
    clock.clocks = torch.tensor([[1.0, 2.0, 3.0], [1.0, torch.inf, 3.0]], dtype=torch.float64)
    clock.up(0, 0, torch.tensor([[False] * 3, [True, False, True]]))
    assert clock.clocks.tolist() == [[1.0, 2.0, 3.0], [3.0, torch.inf, 3.0]]
    clock.clocks[1, 0] = torch.inf
    with pytest.raises(WorkerLost, match=r"\(replica 1\) for worker 0,"):
        clock.up(0, 0, torch.tensor([[True] * 3, [True, False, True]]))


@pytest.mark.parametrize(
    ("key", "expected"),
    [
        ("bsp-sgd", 40.0),
        ("local-sgd", 40.0),
        ("linear-scaling", 8 * 40.0),  # its batch is 8 base batches
        ("asp", 40 / 16),  # a step is the arrival of one worker's gradient
        ("backup-workers", 40 * 14 / 16),  # two of sixteen are left behind
        ("randomised-gossip", 0.0),
    ],
)
def test_gradients_a_worker_are_counted(key: str, expected: float) -> None:
    chosen = row(key)
    objective = catalogue_problem(chosen.problems[0], 16)
    trace = run(chosen.build(objective, 40), objective, steps=40, timing=STANDARD)
    assert trace.gradients[0, 0] == 0 and trace.gradients[0, -1] == expected
