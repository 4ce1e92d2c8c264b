"""A parameter server for real: ranks that hold the model, ranks that hold none, no common clock.

Ranks 0, ..., S - 1 are servers and hold a slice of the model each; the others are workers, which
compute on the model that they were given and keep nothing between two gradients. What happened is
recorded, and the simulation of the same method under :class:`Recorded` gives the same iterates.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.kernels.mean import sum_rows
from algorithms.key import Key
from algorithms.methods.parts.delay_compensation import NoCorrection
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.network.base import Packet, pack
from algorithms.network.peer_messages import (
    PeerMessage,
    PeerMessages,
    as_bytes,
    as_numbers,
)
from algorithms.network.phases import PhaseClock
from algorithms.network.ranks import place, wait_for_all
from algorithms.network.transport import message_of, rows_of
from algorithms.network.wire import WireMessage
from algorithms.optimizers.proximal import NoProximal
from algorithms.problems.base import Problem
from algorithms.run import one_thread
from algorithms.synchronisation.barriers import Asynchronous, BackupWorkers, Bulk
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.recorded import RecordedTick, ScheduleRecord
from algorithms.synchronisation.stale import Stale

_GO, _STOP = 1, 2
_ONE = torch.zeros(1, dtype=torch.int64)  # the only replica: what happens happens once


@final
class ServedRun(NamedTuple):
    """What a rank was left with.

    Attributes:
        models: on a server, its slice after 0, 1, ... updates ``[T + 1, slice]``; else empty.
        record: on a server, what happened.
        sent: payload bytes, by rank they went to.
        received: payload bytes that counted, by rank they came from.
        dropped: payload bytes of gradients that were not used.
    """

    models: Tensor
    record: ScheduleRecord | None
    sent: dict[int, int]
    received: dict[int, int]
    dropped: int


def served_run(
    method: ParameterServer,
    problem: Problem,
    servers: int,
    seed: int = 0,
    clock: PhaseClock | None = None,
) -> ServedRun:
    """This rank's part in a run of ``method``, one worker on each rank beyond the ``servers``.

    The barrier decides whom the server waits for: bulk synchronous, backup workers (who comes late
    is given the newest model), asynchronous, and stale synchronous with a fetch at every start.
    ``method.times`` is not asked: time passes, and ``clock`` is told what with: a step is a
    worker's gradient, or a server's update.

    Raises:
        ValueError: no server or no worker, workers that are not the problem's n, several servers
            without the uncompressed bulk synchronous method, a barrier or correction that is not
            played for real.
    """
    rank, ranks = place()
    _check(method, problem, servers, ranks)
    clock = clock or PhaseClock()
    with one_thread():
        if rank < servers:
            mine = _Server(method, problem, servers, seed, clock).played()
        else:
            mine = _worked(method, problem, servers, seed, clock)
    wait_for_all()  # a server takes what comes first: nobody may send for another run yet
    return mine


def _check(method: ParameterServer, problem: Problem, servers: int, ranks: int) -> None:
    if not 1 <= servers < ranks:
        raise ValueError(f"servers must lie in [1, {ranks}), got servers={servers}")
    if problem.n != ranks - servers:
        raise ValueError(
            f"n must be the {ranks - servers} workers that {servers} servers leave of {ranks} "
            f"ranks, got n={problem.n}"
        )
    plain = isinstance(method.compressor, Identity) and isinstance(method.proximal, NoProximal)
    if servers > 1 and not (plain and isinstance(method.barrier, Bulk)):
        raise ValueError(
            f"servers must be 1 for {method.name}, got servers={servers}: slices of a model are "
            "kept in step by a bulk synchronous barrier, and of uncompressed gradients"
        )
    if not isinstance(method.correction, NoCorrection):
        raise ValueError(f"correction must be none where time passes, got {method.correction.name}")
    if not isinstance(method.barrier, Bulk | Asynchronous | BackupWorkers | Stale):
        raise ValueError(
            f"barrier must be bulk, asynchronous, backup workers or stale synchronous to be played "
            f"for real, got {method.barrier.name}"
        )


def shard(d: int, servers: int, server: int) -> slice:
    """The coordinates of one of so many servers; they differ by one at most."""
    return slice(server * d // servers, (server + 1) * d // servers)


def _worked(
    method: ParameterServer, problem: Problem, servers: int, seed: int, clock: PhaseClock
) -> ServedRun:
    """A worker: computes on what it was given, and sends it."""
    rank, _ = place()
    key, messages, me = Key.seed(seed), PeerMessages(clock), torch.tensor([rank - servers])
    slices = [shard(problem.d, servers, s) for s in range(servers)]
    given = problem.start()
    begun, word = 0, _GO
    while word == _GO:
        with clock.stepping(begun):
            draws = key.fold("gradient", begun).draws(_ONE, me)
            g = problem.gradient(given[None, None], draws)
            if servers > 1:
                for s, where in enumerate(slices):
                    messages.send(s, begun, as_bytes(g[0, 0, where]))
            else:
                packet = pack(method.compressor, g, key.fold("compress", begun), _ONE, me)
                flat = message_of(packet)
                bits = int(flat.bits_by_row().sum())
                messages.send(0, begun, flat.flat(), bits)
            del g, given  # between two gradients nothing is kept
            answers = [messages.receive(s) for s in range(servers)]
            word = answers[0].word
            given = torch.cat([as_numbers(a.payload, problem.dtype) for a in answers])
        begun += 1
    return ServedRun(torch.empty(0), None, dict(messages.sent), dict(messages.received), 0)


@dataclass
class _Arrival:
    """A gradient that waits for its update."""

    worker: int
    version: int
    row: Tensor


@final
class _Server:
    """One server: its slice, who computes on which version, and who waits."""

    def __init__(
        self,
        method: ParameterServer,
        problem: Problem,
        servers: int,
        seed: int,
        phases: PhaseClock,
    ) -> None:
        rank, _ = place()
        self.method, self.problem, self.servers = method, problem, servers
        self.key, self.messages, self.n = Key.seed(seed), PeerMessages(phases), problem.n
        self.phases = phases
        self.x = problem.start()[shard(problem.d, servers, rank)][None, None].clone()
        self.version = [0] * self.n  # of the model that each worker computes on
        self.clock = [0] * self.n  # gradients that counted
        self.idle: set[int] = set()
        self.pending: list[_Arrival] = []
        self.dropped = 0

    def played(self) -> ServedRun:
        models, ticks = [self.x[0, 0].clone()], list[RecordedTick]()
        begin = time.perf_counter()
        for t in range(self.method.ticks):
            with self.phases.stepping(t):
                self._tick(t, ticks, begin)
            models.append(self.x[0, 0].clone())
        self._end(set(ticks[-1].starts))
        return ServedRun(
            torch.stack(models),
            ScheduleRecord(self.n, tuple(ticks)),
            dict(self.messages.sent),
            dict(self.messages.received),
            self.dropped,
        )

    def _tick(self, t: int, ticks: list[RecordedTick], begin: float) -> None:
        """Update t, put down as the last of ``ticks``."""
        starts: list[int] = []
        arrivals = self._awaited(t, starts)
        if ticks:  # who was given this version while the server waited
            ticks[-1] = ticks[-1]._replace(starts=tuple(sorted({*ticks[-1].starts, *starts})))
        self._update(arrivals, t)
        last = t + 1 == self.method.ticks
        told = self._released(arrivals)
        for worker in told:
            self._give(worker, t + 1, _STOP if last else _GO)
        who = tuple(a.worker for a in arrivals)
        versions = tuple(a.version for a in arrivals)
        ticks.append(RecordedTick(who, versions, tuple(told), time.perf_counter() - begin))

    def _awaited(self, t: int, starts: list[int]) -> list[_Arrival]:
        """The gradients of update t, in the order of workers; those that come too late to count
        are dropped, and their workers put in ``starts``."""
        barrier, pending = self.method.barrier, list[_Arrival]()
        while len(pending) < _needed(barrier, self.n):
            message = self.messages.receive()
            worker = message.source - self.servers
            if isinstance(barrier, BackupWorkers) and self.version[worker] != t:
                self._drop(message)
                self._give(worker, t, _GO)
                starts.append(worker)
            else:
                pending.append(_Arrival(worker, self.version[worker], self._row(message)))
        return sorted(pending, key=lambda a: a.worker)

    def _row(self, message: PeerMessage) -> Tensor:
        """A gradient as it is read ``[1, 1, d or slice]``."""
        problem, who = self.problem, torch.tensor([message.source - self.servers])
        if self.servers > 1:
            return as_numbers(message.payload, problem.dtype)[None, None]
        key = self.key.fold("compress", message.word)
        read = Packet(self.method.compressor, (), key, _ONE, problem.d, problem.dtype)
        lengths = None if read.code.fixed_bits is not None else torch.tensor([[message.bits]])
        packed = WireMessage(message.payload[None, None], lengths, message.bits)
        return rows_of(read, packed, who)

    def _update(self, arrivals: Sequence[_Arrival], t: int) -> None:
        method, gamma = self.method, self.method.step_rule(t)
        share: float | Tensor = 1
        if method.weighting is Weighting.ALL:
            share = self.n
        elif method.weighting is Weighting.ARRIVED:
            share = torch.tensor(len(arrivals))
        rows = torch.cat([a.row for a in arrivals], dim=-2)
        x = self.x - gamma * (sum_rows(rows, keepdim=True) / share)
        self.x = method.proximal.apply(x, gamma, t)

    def _released(self, arrivals: Sequence[_Arrival]) -> list[int]:
        """Who begins the next gradient now; the others wait for the slowest."""
        for a in arrivals:
            self.clock[a.worker] += 1
            self.idle.add(a.worker)
        barrier = self.method.barrier
        lead = barrier.s if isinstance(barrier, Stale) else None
        slowest = min(self.clock)
        told = sorted(i for i in self.idle if lead is None or self.clock[i] - slowest <= lead)
        self.idle -= {*told}
        return told

    def _give(self, worker: int, version: int, word: int) -> None:
        self.version[worker] = version
        self.messages.send(worker + self.servers, word, as_bytes(self.x[0, 0]))

    def _drop(self, message: PeerMessage) -> None:
        self.dropped += message.payload.numel()
        self.messages.received[message.source] -= message.payload.numel()

    def _end(self, ended: set[int]) -> None:
        """Tell those that compute or wait to stop, which needs no model."""
        nothing = torch.empty(0, dtype=torch.uint8)
        for worker in self.idle:
            self.messages.send(worker + self.servers, _STOP, nothing)
        for _ in range(self.n - len(ended) - len(self.idle)):
            message = self.messages.receive()
            self._drop(message)
            self.messages.send(message.source, _STOP, nothing)


def _needed(barrier: Barrier, n: int) -> int:
    """Gradients that an update waits for."""
    if isinstance(barrier, Bulk):
        return n
    return n - barrier.b if isinstance(barrier, BackupWorkers) else 1
