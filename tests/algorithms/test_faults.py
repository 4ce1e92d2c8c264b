"""What each barrier promises when a worker dies, stalls or returns NaN; what ranks do then."""

from __future__ import annotations

import atexit
import os
import time

import numpy as np
import pytest
import torch
from torch.multiprocessing.spawn import ProcessRaisedException

from algorithms.core.faults import Faults
from algorithms.core.key import Key
from algorithms.engine.run import Diverged, run
from algorithms.methods.base import NonFiniteGradient
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.network.launch import RankLost, launch
from algorithms.network.sharded import Sharded
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import (
    Asynchronous,
    BackupWorkers,
    Bulk,
    Deadline,
    PartialBarrier,
    RoundRobin,
)
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.compute_times import Exponential
from algorithms.synchronisation.conditions import LostWorker
from algorithms.synchronisation.stale import SSP, EagerSSP
from algorithms.synchronisation.worker_states import WorkerLost
from theory.stepsizes import ConstantStep

pytestmark = pytest.mark.processes

STEP = ConstantStep(0.02)
N, TICKS, DEAD = 5, 200, 3
PROBLEM = Quadratic.strongly_convex(N, 8)
GO_ON = (BackupWorkers(1), Asynchronous(), Deadline(1.0))
STOP = (Bulk(), SSP(2), EagerSSP(2), RoundRobin(), PartialBarrier(2, 6), BackupWorkers(0))


def server(barrier: Barrier, *, lost: int | None = None) -> ParameterServer:
    times = Exponential() if lost is None else LostWorker(Exponential(), DEAD, lost)
    return ParameterServer(STEP, TICKS, times, barrier, Weighting.ARRIVED)


@pytest.mark.parametrize("barrier", GO_ON, ids=lambda b: b.name)
def test_tolerant_barriers_go_on_without_a_dead_worker(barrier: Barrier) -> None:
    assert barrier.tolerant
    method = server(barrier, lost=4)
    schedule = method.schedule(N)
    assert schedule.lost is None and torch.isfinite(schedule.seconds).all()
    late = schedule.arrivals[TICKS // 2 :]
    assert not (late == DEAD).any() and (late < N).any(-1).all()
    trace = run(method, PROBLEM, steps=TICKS, replicas=3)
    assert (trace.suboptimality[:, -1] < 0.2 * trace.suboptimality[:, 0]).all()


@pytest.mark.parametrize("barrier", STOP, ids=lambda b: b.name)
def test_other_barriers_stop_name_the_worker_and_keep_what_was_done(barrier: Barrier) -> None:
    with pytest.raises(WorkerLost, match=f"waits for ever at step .* for worker {DEAD}, ") as told:
        run(server(barrier, lost=4), PROBLEM, steps=TICKS, replicas=3)
    trace = told.value.trace
    assert 4 <= trace.steps[-1] < TICKS and np.isfinite(trace.suboptimality).all()
    assert trace.suboptimality[:, -1].mean() < trace.suboptimality[:, 0].mean()


def test_ssp_goes_on_for_s_clocks_after_the_death() -> None:
    """The others may run s clocks ahead of the dead worker, and do, before they block."""
    for s in (0, 1, 4):
        schedule = SSP(s).schedule(
            N, 500, LostWorker(Exponential(), DEAD, 6), Key.seed(1), torch.arange(1)
        )
        clock = np.zeros(N, int)
        for row in schedule.arrivals[:, 0].tolist():
            for i in row:
                if i < N:
                    clock[i] += 1
        assert clock[DEAD] == 6 and clock.max() <= 6 + s + 1
        assert schedule.lost is not None and schedule.lost.workers == (DEAD,)


@pytest.mark.parametrize("barrier", GO_ON, ids=lambda b: b.name)
@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_tolerant_servers_throw_a_broken_message_away(barrier: Barrier, value: float) -> None:
    step = int((server(barrier).schedule(N).arrivals[:, 0] == DEAD).any(-1).nonzero()[3])
    fault = Faults(DEAD, step, value)
    trace = run(server(barrier), PROBLEM, steps=TICKS, replicas=1, faults=fault)
    sound = run(server(barrier), PROBLEM, steps=TICKS, replicas=1)
    assert trace.account.discarded_messages[0].tolist() == [0, 0, 0, 1, 0]
    assert torch.equal(trace.account.sent_messages, sound.account.sent_messages)
    assert not torch.equal(trace.model, sound.model) and torch.isfinite(trace.model).all()
    assert trace.suboptimality[0, -1] < trace.suboptimality[0, 0]


@pytest.mark.parametrize("barrier", STOP[:-1], ids=lambda b: b.name)
def test_other_servers_stop_at_a_broken_message(barrier: Barrier) -> None:
    assert not barrier.tolerant
    step = int((server(barrier).schedule(N).arrivals[:, 0] == DEAD).any(-1).nonzero()[3])
    with pytest.raises(Diverged, match=f"worker {DEAD} at step {step} is not finite") as told:
        run(server(barrier), PROBLEM, steps=TICKS, replicas=1, faults=Faults(DEAD, step))
    assert isinstance(told.value.__cause__, NonFiniteGradient)
    assert told.value.trace.steps[-1] == step


def test_bsp_names_worker_and_step_of_a_broken_gradient() -> None:
    with pytest.raises(Diverged, match="gradient of worker 2 at step 7") as told:
        run(BSP(STEP), PROBLEM, steps=20, faults=Faults(2, 7, float("inf")))
    assert told.value.trace.steps[-1] == 7


def _dies(fate: str) -> None:
    """Rank 1 of 2 is lost at step 5 of a run; the other waits for it in a collective."""
    network = Sharded(4)
    problem = Quadratic.strongly_convex(4, 8)
    run(BSP(STEP), problem, steps=5, network=network)
    if network.rank == 1:
        if fate == "exit":
            os._exit(9)
        time.sleep(60)
    run(BSP(STEP), problem, steps=5, network=network)


@pytest.mark.slow
@pytest.mark.parametrize("fate", ["exit", "stall"])
def test_no_rank_hangs_when_another_is_lost(fate: str) -> None:
    begin = time.monotonic()
    with pytest.raises(RankLost, match=r"rank \d"):
        launch(_dies, fate, ranks=2, timeout=8.0)
    assert time.monotonic() - begin < 50


def _fails_by_itself(guilty: int) -> None:
    """One rank raises and takes its time to end; the other is in a collective with it."""
    network = Sharded(2)
    if network.rank == guilty:
        atexit.register(time.sleep, 5.0)
        raise LookupError(f"fault of rank {guilty}")
    run(BSP(STEP), Quadratic.strongly_convex(2, 8), steps=1, network=network)


@pytest.mark.parametrize("guilty", [0, 1])
def test_a_failed_rank_is_named_and_not_those_it_takes_along(guilty: int) -> None:
    with pytest.raises(ProcessRaisedException, match=f"fault of rank {guilty}") as told:
        launch(_fails_by_itself, guilty, ranks=2)
    assert told.value.error_index == guilty


def _leaves_at_once(late: int) -> int:
    rank = Sharded(2).rank
    if rank == late:
        time.sleep(2.0)
    return rank


@pytest.mark.parametrize("late", [0, 1])
def test_a_rank_may_finish_before_another(late: int) -> None:
    assert launch(_leaves_at_once, late, ranks=2) == [0, 1]
