"""Workers that meet in pairs without a common clock, for real: what each of them does."""

from __future__ import annotations

import json
import time
from collections.abc import Sequence
from typing import Any, final

import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.methods.base import RunContext
from algorithms.methods.parts.asynchronous_gossip import Arrived, AsynchronousGossip
from algorithms.network.mailbox import Mailbox
from algorithms.network.peer_messages import PeerMessages
from algorithms.network.phases import PhaseClock
from algorithms.network.point_to_point import PairwiseNetwork
from algorithms.network.ranks import gathered_words, place, wait_for_all
from algorithms.problems.base import Problem
from algorithms.runner.kept_record import KeptRecord, replayed, state_here
from algorithms.synchronisation.recorded import RecordedTick, ScheduleRecord
from algorithms.synchronisation.schedule import Schedule

_ONE = torch.zeros(1, dtype=torch.int64)  # the only replica: what happens happens once
_ASK, _CALL, _ANSWER, _DONE = 0, 1, 2, 3


@final
class Meeting:
    """A worker that meets others: a meeting is called by the lower of the two, so that who waits
    waits for a higher one, and never in a circle. The higher asks the lower to call.

    ``stamp`` is Lamport's clock (1978, CACM 21(7)): after sorting by it, each worker's ticks come
    in the order in which they happened to it.
    """

    def __init__(
        self,
        method: AsynchronousGossip,
        problem: Problem,
        total: int,
        seed: int,
        clock: PhaseClock,
        kept: KeptRecord | None = None,
    ) -> None:
        self.me, self.n = place()
        self.method, self.mailbox, self.clock = method, Mailbox(clock), clock
        self.network = PairwiseNetwork(self.n, self.me, self.mailbox)
        self.context = RunContext(problem, self.network, Key.seed(seed), _ONE)
        self.state: Any = method.init(problem.start(), self.context)
        self.share = total // self.n + (self.me < total % self.n)
        self.working = self.n - 1  # others that have not made their share
        self.stamp, self.own, self.begin = 0, list[tuple[int, float]](), 0.0
        self.arrived: Arrived | None = None
        self.held_back = list[tuple[int, tuple[int, ...]]]()

        self.moves, self.kept = 0, kept
        self.past: ScheduleRecord | None = None
        if kept is not None:
            self._go_on(kept, seed)

    def _go_on(self, kept: KeptRecord, seed: int) -> None:
        """Stand where what all ranks kept ends, if there is anything.

        A rank that kept its ticks at stamp S told of all that are stamped up to S; what came before
        a tick has a smaller stamp. So ticks up to the least S of all ranks are what happened to
        somebody, and nothing that led to them is missing.
        """
        told = kept.gathered()
        if not all(told):
            return
        every = [json.loads(one) for one in told]
        self.stamp = min(int(one["stamp"]) for one in every)
        known = [[(t, s) for t, s in one["ticks"] if t <= self.stamp] for one in every]
        self.own = [(int(t), float(s)) for t, s in known[self.me]]
        if not any(known):
            return
        past = replayed(self.method, self.context.problem, _linear(known), seed)
        self.state = state_here(self.method, self.context.problem, past, seed, self.context)
        self.past, self.begin = past.record, past.record.ticks[-1].seconds

    def _keep(self, stamp: int) -> None:
        if self.kept is not None:
            self.kept.write(self.me, json.dumps({"stamp": stamp, "ticks": self.own}))

    def _moved(self) -> None:
        self.moves += 1
        if self.kept is not None and self.moves % self.kept.every == 0:
            self._keep(self.stamp)

    def outcome(self) -> tuple[Tensor, ScheduleRecord, PeerMessages]:
        """This worker's model ``[d]``, what happened to all, and its messages."""
        wait_for_all()
        self.begin = time.perf_counter() - self.begin
        for count in range(len(self.own), self.share):
            with self.clock.stepping(count):
                self._tick(count)
        for other in range(self.n):
            if other != self.me:
                self.mailbox.send_words(other, _DONE, 0, 0)
        while self.working:
            self._answer(*self._letter())
        self.mailbox.goodbye()
        self.mailbox.close()
        told = gathered_words({"ticks": json.dumps(self.own)})
        every = [json.loads(t["ticks"]) for t in told]
        self._keep(max(stamp for ticks in every for stamp, _ in ticks))
        record = _linear(every)
        return self.method.models(self.state)[0, 0].clone(), record, self.mailbox.messages

    def _tick(self, count: int) -> None:
        """A gradient of this worker's, and the meeting that it asks for."""
        self._plan(self.me, count)
        arrived = self.method.arrive(self.state, 0, self.context)
        while (letter := self.mailbox.letter(wait=False)) is not None:
            self._answer(*letter)
        other = int(self.method.called(arrived.subset, count, self.context))
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
        subset = torch.tensor([[arriving]])
        nothing = torch.zeros((1, 1, self.context.problem.d), dtype=self.context.problem.dtype)
        own, self.network.pair = self.state.schedule, (self.me, other)
        self._plan(arriving, count)
        none = Arrived(subset, nothing, subset, count)
        self.state = self.method.meet(self.state, none, 0, self.context)._replace(schedule=own)
        self._moved()

    def _met(self, pair: tuple[int, ...], arrived: Arrived) -> None:
        self.network.pair = pair
        self.state = self.method.meet(self.state, arrived, 0, self.context)
        self.arrived = None
        self.own.append((self.stamp, time.perf_counter() - self.begin))
        self._moved()


def _linear(own: Sequence[Sequence[tuple[int, float]]]) -> ScheduleRecord:
    """All workers' ticks in one order that agrees with each worker's own."""
    order = sorted((stamp, i, s) for i, ticks in enumerate(own) for stamp, s in ticks)
    begun, latest, ticks = [0] * len(own), 0.0, list[RecordedTick]()
    for t, (_, i, s) in enumerate(order):
        latest = max(latest, s)  # of ticks that do not know of each other, either came first
        ticks.append(RecordedTick((i,), (begun[i],), (i,), latest))
        begun[i] = t + 1
    return ScheduleRecord(len(own), tuple(ticks))
