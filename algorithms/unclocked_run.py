"""Methods without a common clock, for real: their own steps, on the ranks that take part in each.

A method under a schedule is one step a tick. Here a tick happens when a worker arrives, and only
those whom it concerns take it: the worker and the server, or two workers that meet. What happened
is recorded; the simulation under :class:`Recorded` gives the same iterates.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, NamedTuple, final

import numpy as np
import torch
from torch import Tensor

from algorithms.key import Key
from algorithms.methods.admm.admm_star import StarADMM
from algorithms.methods.asynchronous.downpour import Downpour
from algorithms.methods.base import World
from algorithms.methods.cooperative.easgd_async import AsyncEASGD
from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD
from algorithms.methods.gossip_pairwise.gossiping_sgd import GossipingSGD
from algorithms.methods.parts.asynchronous_gossip import Arrived, AsynchronousGossip
from algorithms.network.apart import GO, LATE, STOP, AtMeeting, AtServer, AtWorker, TooLate
from algorithms.network.mailbox import Mailbox
from algorithms.network.peer_messages import PeerMessage, PeerMessages
from algorithms.network.ranks import gathered_words, place, wait_for_all
from algorithms.problems.base import Problem
from algorithms.run import one_thread
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
    """What a rank was left with.

    Attributes:
        model: the server's after the last tick, or of workers that meet this one's ``[d]``; empty
            on a worker that has a server.
        record: what happened; on ranks that did not see it, None.
        sent: payload bytes that counted, by rank they went to.
        received: payload bytes that counted, by rank they came from.
        dropped: payload bytes of gradients that came after the last tick.
    """

    model: Tensor
    record: ScheduleRecord | None
    sent: dict[int, int]
    received: dict[int, int]
    dropped: int


def unclocked_run(method: Unclocked, problem: Problem, seed: int = 0) -> UnclockedRun:
    """This rank's part in a run of ``method.ticks`` gradients in all.

    With a server, that is rank 0 and worker i rank i + 1; it serves whom its barrier lets, and ends
    the run at the last tick. Of workers that meet, worker i is rank i, and each makes its share of
    the gradients; it answers others between two of its own, but for meetings under way.
    ``method.times`` are not asked: time passes.

    Raises:
        ValueError: stepsizes that change, which a worker cannot know without a clock; ranks that
            are not the workers and their server; a barrier that is not played for real.
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
    live: Any = replace(method, barrier=CountedByWorker(method.barrier), replicas=1)
    with one_thread():
        if not served:
            mine = _Meeting(live, problem, seed).played()
        elif rank == 0:
            mine = _serve(live, problem, seed)
        else:
            mine = _work(live, problem, seed)
    wait_for_all()  # who is served takes what comes first: nobody may send for another run yet
    return mine


def _serve(method: Served, problem: Problem, seed: int) -> UnclockedRun:
    """The server: waits, lets the barrier decide who counts, and takes the method's step."""
    n, messages = problem.n, PeerMessages()
    network = AtServer(n, messages)
    world = World(problem, network, Key.seed(seed), _ONE)
    state: Any = method.init(problem.start(), world)
    now = WorkerStates(n, lambda counts: np.full(counts.shape, np.inf))  # nobody is there yet
    waiting: dict[int, PeerMessage] = {}
    ticks, ended, begin = list[RecordedTick](), set[int](), time.perf_counter()
    while len(ticks) < method.ticks:
        decision = method.barrier.decide(now)
        if not np.isfinite(decision.now[0]):
            told = messages.receive()
            waiting[told.source - 1] = told
            now.finish[0, told.source - 1] = time.perf_counter() - begin
            continue
        who, starts = (
            tuple(np.flatnonzero(mask[0]).tolist()) for mask in (decision.arrived, decision.started)
        )
        versions = tuple(int(v) for v in now.version[0, list(who)])
        counts = [int(c) - 1 for c in now.begun[0, list(who)]]
        last = len(ticks) + 1 == method.ticks
        network.word, network.waiting = STOP if last else GO, waiting
        state = state._replace(schedule=Schedule.of_one_tick(n, who, starts, counts))
        state = method.step(state, 0, world)
        network.release([*starts])
        for worker in who:
            del waiting[worker]
        now.move(decision, len(ticks))
        ticks.append(RecordedTick(who, versions, starts, time.perf_counter() - begin))
        ended = {*starts} if last else set()
    dropped = _ended(messages, n, ended, waiting)
    return UnclockedRun(
        method.models(state)[0, 0].clone(),
        ScheduleRecord(n, tuple(ticks)),
        dict(messages.sent),
        dict(messages.received),
        dropped,
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


def _work(method: Served, problem: Problem, seed: int) -> UnclockedRun:
    """A worker of a server's: the method's step, again and again."""
    me = place()[0] - 1
    messages = PeerMessages()
    network = AtWorker(problem.n, me, messages)
    world = World(problem, network, Key.seed(seed), _ONE)
    state: Any = method.init(problem.start(), world)
    count, word = 0, GO
    while word == GO:
        state = state._replace(schedule=Schedule.of_one_tick(problem.n, [me], [me], [count]))
        network.begun, before = count, messages.sent[0]
        try:
            state = method.step(state, 0, world)
            word = network.released()
        except TooLate:
            word, messages.sent[0] = LATE, before
        count += 1
    return UnclockedRun(torch.empty(0), None, dict(messages.sent), dict(messages.received), 0)


_ASK, _CALL, _ANSWER, _DONE = 0, 1, 2, 3


@final
class _Meeting:
    """A worker that meets others: a meeting is called by the lower of the two, so that who waits
    waits for a higher one, and never in a circle. The higher asks the lower to call.

    ``stamp`` is Lamport's clock (1978, CACM 21(7)): after sorting by it, each worker's ticks come
    in the order in which they happened to it.
    """

    def __init__(self, method: AsynchronousGossip, problem: Problem, seed: int) -> None:
        self.me, self.n = place()
        self.method, self.mailbox = method, Mailbox()
        self.network = AtMeeting(self.n, self.me, self.mailbox)
        self.world = World(problem, self.network, Key.seed(seed), _ONE)
        self.state: Any = method.init(problem.start(), self.world)
        self.share = method.ticks // self.n + (self.me < method.ticks % self.n)
        self.working = self.n - 1  # others that have not made their share
        self.stamp, self.own, self.begin = 0, list[tuple[int, float]](), 0.0
        self.arrived: Arrived | None = None
        self.held_back = list[tuple[int, tuple[int, ...]]]()

    def played(self) -> UnclockedRun:
        wait_for_all()
        self.begin = time.perf_counter()
        for count in range(self.share):
            self._plan(self.me, count)
            arrived = self.method.arrive(self.state, 0, self.world)
            while (letter := self.mailbox.letter(wait=False)) is not None:
                self._answer(*letter)
            other = int(self.method.called(arrived.who, count, self.world))
            self.arrived = arrived
            if other == self.me:
                self.stamp += 1
                self._met((), arrived)
            elif other > self.me:
                self._call(other, self.me, count)
            else:
                self.mailbox.send_words(other, _ASK, count, 0)
            while self.arrived is not None:
                self._answer(*self._letter())
        for other in range(self.n):
            if other != self.me:
                self.mailbox.send_words(other, _DONE, 0, 0)
        while self.working:
            self._answer(*self._letter())
        self.mailbox.goodbye()
        self.mailbox.close()
        told = gathered_words({"ticks": json.dumps(self.own)})
        record, counted = _linear([json.loads(t["ticks"]) for t in told]), self.mailbox.messages
        model = self.method.models(self.state)[0, 0].clone()
        return UnclockedRun(model, record, dict(counted.sent), dict(counted.received), 0)

    def _letter(self) -> tuple[int, tuple[int, ...]]:
        letter = self.mailbox.letter(wait=True)
        if letter is None:
            raise RuntimeError("gloo has no letter, and a worker has not made its share")
        return letter

    def _plan(self, worker: int, count: int) -> None:
        one = Schedule.of_one_tick(self.n, [worker], [worker], [count])
        self.state = self.state._replace(schedule=one)

    def _answer(self, writer: int, words: tuple[int, ...]) -> None:
        """Do what a letter asks for."""
        kind, count, stamp = words
        if kind == _DONE:
            self.working -= 1
            return
        if kind == _ASK:
            self._call(writer, writer, count)
            return
        arriving = self.me if count < 0 else writer
        self.stamp = max(self.stamp, stamp) + 1
        self.mailbox.send_words(writer, _ANSWER, 0, self.stamp)
        self._meets(writer, arriving, count)

    def _call(self, other: int, arriving: int, count: int) -> None:
        """Meet a higher one; others wait meanwhile."""
        told = -1 if arriving == other else count
        self.mailbox.send_words(other, _CALL, told, self.stamp)
        while (letter := self._letter())[1][0] != _ANSWER:
            self.held_back.append(letter)
        self.stamp = letter[1][2]
        self._meets(other, arriving, count)
        waiting, self.held_back = self.held_back, []
        for one in waiting:
            self._answer(*one)

    def _meets(self, other: int, arriving: int, count: int) -> None:
        if arriving == self.me:
            assert self.arrived is not None
            self._met((self.me, other), self.arrived)
            return
        who = torch.tensor([[arriving]])
        nothing = torch.zeros((1, 1, self.world.problem.d), dtype=self.world.problem.dtype)
        own, self.network.pair = self.state.schedule, (self.me, other)
        self._plan(arriving, count)
        none = Arrived(who, nothing, who, count)
        self.state = self.method.meet(self.state, none, 0, self.world)._replace(schedule=own)

    def _met(self, pair: tuple[int, ...], arrived: Arrived) -> None:
        self.network.pair = pair
        self.state = self.method.meet(self.state, arrived, 0, self.world)
        self.arrived = None
        self.own.append((self.stamp, time.perf_counter() - self.begin))


def _linear(own: Sequence[Sequence[tuple[int, float]]]) -> ScheduleRecord:
    """All workers' ticks in one order that agrees with each worker's own."""
    order = sorted((stamp, i, s) for i, ticks in enumerate(own) for stamp, s in ticks)
    begun, latest, ticks = [0] * len(own), 0.0, list[RecordedTick]()
    for t, (_, i, s) in enumerate(order):
        latest = max(latest, s)  # of ticks that do not know of each other, either came first
        ticks.append(RecordedTick((i,), (begun[i],), (i,), latest))
        begun[i] = t + 1
    return ScheduleRecord(len(own), tuple(ticks))
