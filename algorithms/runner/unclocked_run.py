"""Methods without a common clock, for real: their own steps, on the ranks that take part in each.

A method under a schedule is one step a tick. Here a tick happens when a worker arrives, and only
those whom it concerns take it: the worker and the server, or two workers that meet. What happened
is recorded; the simulation under :class:`Recorded` gives the same iterates.
"""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.engine.run import one_thread
from algorithms.methods.admm.admm_star import StarADMM
from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.methods.base import RunContext
from algorithms.methods.cooperative.easgd_async import AsyncEASGD
from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD
from algorithms.methods.gossip_pairwise.gossiping_sgd import GossipingSGD
from algorithms.network.peer_messages import PeerMessage, PeerMessages
from algorithms.network.phases import PhaseClock
from algorithms.network.point_to_point import GO, LATE, STOP, AtServer, AtWorker, LateArrival
from algorithms.network.ranks import place, wait_for_all
from algorithms.problems.base import Problem
from algorithms.runner.kept_record import KeptRecord, past_of_server, state_here
from algorithms.runner.meeting_run import Meeting
from algorithms.synchronisation.barriers import Asynchronous, Bulk, PartialBarrier
from algorithms.synchronisation.recorded import CountedByWorker, RecordedTick, ScheduleRecord
from algorithms.synchronisation.schedule import Schedule
from algorithms.synchronisation.worker_states import WorkerStates
from theory.stepsizes import ConstantStep

Served = AsyncEASGD | Downpour | StarADMM
Unclocked = Served | ADPSGD | GossipingSGD
_ONE = torch.zeros(1, dtype=torch.int64)  # the only replica: what happens happens once


@final
class UnclockedRun(NamedTuple):
    """Result of one rank's run.

    Attributes:
        model: the server's after the last tick, or of workers that meet this one's ``[d]``; empty
            on a worker that has a server.
        record: what happened; on ranks that did not see it, None.
        sent: payload bytes that counted, by rank they went to.
        received: payload bytes that counted, by rank they came from.
        dropped: payload bytes of gradients that came after the last tick.
        past: what had happened before the run went on; on ranks that did not see it, None.
    """

    model: Tensor
    record: ScheduleRecord | None
    sent: dict[int, int]
    received: dict[int, int]
    dropped: int
    past: ScheduleRecord | None = None


def unclocked_run(
    method: Unclocked,
    problem: Problem,
    seed: int = 0,
    clock: PhaseClock | None = None,
    kept: KeptRecord | None = None,
) -> UnclockedRun:
    """This rank's part in a run of ``method.ticks`` gradients in all.

    With a server, that is rank 0 and worker i rank i + 1; it serves whom its barrier lets, and ends
    the run at the last tick. Of workers that meet, worker i is rank i, and each makes its share of
    the gradients; it answers others between two of its own, but for meetings under way.
    ``method.times`` are not asked: time passes, and ``clock`` is told what with: a step is a
    worker's gradient, or what a server does at a tick. What happened is ``kept``, and gone on from;
    bytes are those from there on.

    Raises:
        ValueError: stepsizes that change, which a worker cannot know without a clock; ranks that
            are not the workers and their server; a barrier that is not played for real; what
            is kept is another run's.
        RuntimeError: another rank is gone.
    """
    rank, ranks = place()
    served = isinstance(method, Served)
    workers = ranks - served
    if problem.n != workers:
        raise ValueError(
            f"n must be the {workers} workers of {ranks} ranks{', one a server' * served}, got "
            f"n={problem.n}"
        )
    if not isinstance(method.step_rule, ConstantStep):
        raise ValueError(
            f"step_rule must be constant: without a clock no worker knows the step, got "
            f"{method.step_rule}"
        )
    barriers = (
        Asynchronous | Bulk | PartialBarrier if isinstance(method, StarADMM) else Asynchronous
    )
    if not isinstance(method.barrier, barriers):
        raise ValueError(
            f"barrier must be one that leaves every worker to its work, got {method.barrier.name}"
        )
    live: Any = replace(method, barrier=CountedByWorker(method.barrier), replicas=1, ticks=1)
    clock = clock or PhaseClock()
    with one_thread():
        if not served:
            own = Meeting(live, problem, method.ticks, seed, clock, kept)
            model, record, counted = own.outcome()
            mine = UnclockedRun(
                model, record, dict(counted.sent), dict(counted.received), 0, own.past
            )
        elif rank == 0:
            mine = _serve(live, problem, method.ticks, seed, clock, kept)
        else:
            mine = _work(live, problem, seed, clock, kept)
    wait_for_all()  # who is served takes what comes first: nobody may send for another run yet
    return mine


def _serve(
    method: Served,
    problem: Problem,
    total: int,
    seed: int,
    clock: PhaseClock,
    kept: KeptRecord | None,
) -> UnclockedRun:
    """The server: waits, lets the barrier decide who counts, and takes the method's step."""
    n, messages = problem.n, PeerMessages(clock)
    network = AtServer(n, messages)
    context = RunContext(problem, network, Key.seed(seed), _ONE)
    state: Any = method.init(problem.start(), context)
    now = WorkerStates(n, lambda counts: np.full(counts.shape, np.inf))  # nobody is there yet
    waiting: dict[int, PeerMessage] = {}
    ticks, ended, begin = list[RecordedTick](), set[int](), time.perf_counter()
    past = past_of_server(method, problem, seed, kept)
    if past is not None:
        ticks, now = list(past.record.ticks), past.now
        state = state_here(method, problem, past, seed, context)
        begin = time.perf_counter() - ticks[-1].seconds
    while len(ticks) < total:
        decision = method.barrier.decide(now)
        if not np.isfinite(decision.now[0]):
            told = messages.receive()
            waiting[told.source - 1] = told
            now.finish[0, told.source - 1] = time.perf_counter() - begin
            continue
        subset, starts = (
            tuple(np.flatnonzero(mask[0]).tolist()) for mask in (decision.arrived, decision.started)
        )
        versions = tuple(int(v) for v in now.version[0, list(subset)])
        counts = [int(c) - 1 for c in now.begun[0, list(subset)]]
        last = len(ticks) + 1 == total
        network.word, network.waiting = STOP if last else GO, waiting
        state = state._replace(schedule=Schedule.of_one_tick(n, subset, starts, counts))
        with clock.stepping(len(ticks)):
            state = method.step(state, 0, context)
            network.release([*starts])
        for worker in subset:
            del waiting[worker]
        now.move(decision, len(ticks))
        ticks.append(RecordedTick(subset, versions, starts, time.perf_counter() - begin))
        ended = {*starts} if last else set()
        if kept is not None and (last or len(ticks) % kept.every == 0):
            kept.write(0, ScheduleRecord(n, tuple(ticks)).to_json())
    dropped = _ended(messages, n, ended, waiting)
    return UnclockedRun(
        method.models(state)[0, 0].clone(),
        ScheduleRecord(n, tuple(ticks)),
        dict(messages.sent),
        dict(messages.received),
        dropped,
        None if past is None else past.record,
    )


def _ended(messages: PeerMessages, n: int, ended: set[int], waiting: dict[int, PeerMessage]) -> int:
    """Tell all others that they are late; payload bytes that came in vain."""
    dropped = 0
    for _ in range(n - len(ended)):
        told = waiting.popitem()[1] if waiting else messages.receive()
        dropped += told.payload.numel()
        messages.received[told.source] -= told.payload.numel()
        messages.send(told.source, LATE, told.payload[:0])
    return dropped


def _work(
    method: Served, problem: Problem, seed: int, clock: PhaseClock, kept: KeptRecord | None
) -> UnclockedRun:
    """A worker of a server's: the method's step, again and again."""
    me = place()[0] - 1
    messages = PeerMessages(clock)
    network = AtWorker(problem.n, me, messages)
    context = RunContext(problem, network, Key.seed(seed), _ONE)
    state: Any = method.init(problem.start(), context)
    count, word = 0, GO
    past = past_of_server(method, problem, seed, kept)
    if past is not None:
        count = int(past.now.begun[0, me]) - 1
        state = state_here(method, problem, past, seed, context)
    while word == GO:
        state = state._replace(schedule=Schedule.of_one_tick(problem.n, [me], [me], [count]))
        network.begun, before = count, messages.sent[0]
        try:
            with clock.stepping(count):
                state = method.step(state, 0, context)
                word = network.released()
        except LateArrival:
            word, messages.sent[0] = LATE, before
        count += 1
    return UnclockedRun(torch.empty(0), None, dict(messages.sent), dict(messages.received), 0)
