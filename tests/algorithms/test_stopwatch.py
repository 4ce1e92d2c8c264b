"""Modelled seconds of synchronous runs, against sums by hand and order statistics."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from scipy import stats

from algorithms.compressors.top_k import TopK
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.quadratic import Quadratic
from algorithms.run import run
from algorithms.synchronisation.barriers import Bulk
from algorithms.synchronisation.compute_times import Constant, Exponential
from algorithms.synchronisation.conditions import Lost
from algorithms.synchronisation.stopwatch import Timing
from algorithms.synchronisation.worker_states import WorkerLost
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
    timing = Timing(Lost(Constant(), worker=3, after=5), LINK)
    with pytest.raises(WorkerLost, match=r"waits for ever at step 5 .* for worker 3") as caught:
        run(method, PROBLEM, steps=50, timing=timing)
    assert caught.value.trace.steps[-1] >= 4 and np.isfinite(caught.value.trace.seconds).all()
