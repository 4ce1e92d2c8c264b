"""A server of a parameter server: its slice of the model, who computes on what, and who waits."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.kernels.mean import sum_rows
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.network.base import Packet
from algorithms.network.peer_messages import PeerMessage, PeerMessages, as_bytes, as_numbers
from algorithms.network.phases import PhaseClock
from algorithms.network.ranks import place
from algorithms.network.transport import rows_of
from algorithms.network.wire import WireMessage
from algorithms.problems.base import Problem
from algorithms.runner.kept_record import KeptRecord, Replayed
from algorithms.synchronisation.barriers import BackupWorkers, Bulk
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.recorded import RecordedTick, ScheduleRecord
from algorithms.synchronisation.stale import Stale

GO, STOP = 1, 2
"""A server's words beside a model: go on; that was the last update."""

ONE = torch.zeros(1, dtype=torch.int64)
"""The only replica: what happens happens once."""


def shard(d: int, servers: int, server: int) -> slice:
    """The coordinates of one of so many servers; they differ by one at most."""
    return slice(server * d // servers, (server + 1) * d // servers)


@dataclass
class _Arrival:
    """A gradient that waits for its update."""

    worker: int
    version: int
    row: Tensor


@final
class ModelServer:
    """One server: its slice, who computes on which version, and who waits."""

    def __init__(
        self,
        method: ParameterServer,
        problem: Problem,
        servers: int,
        seed: int,
        phases: PhaseClock,
        kept: KeptRecord | None = None,
        past: Replayed | None = None,
    ) -> None:
        rank, _ = place()
        self.method, self.problem, self.servers = method, problem, servers
        self.key, self.messages, self.n = Key.seed(seed), PeerMessages(phases), problem.n
        self.phases = phases
        self.x = problem.start()[shard(problem.d, servers, rank)][None, None].clone()
        self.version = [0] * self.n  # of the model that each worker computes on
        self.clock = [0] * self.n  # gradients that counted
        self.idle: set[int] = set()
        self.dropped = 0
        self.kept, self.models = kept, [self.x[0, 0].clone()]
        self.ticks = list[RecordedTick]()
        if past is not None:
            mine = past.models[:, 0, shard(problem.d, servers, rank)]
            self.models, self.x = [*mine.clone()], mine[-1][None, None].clone()
            self.ticks = list(past.record.ticks)
            self.version, self.clock = past.now.version[0].tolist(), past.now.clock[0].tolist()
            self.idle = {*past.now.idle[0].nonzero()[0].tolist()}

    def outcome(self) -> tuple[Tensor, ScheduleRecord]:
        """Its slice after 0, 1, ... updates ``[T + 1, slice]``, and what happened."""
        ticks, total = self.ticks, self.method.ticks
        begin = time.perf_counter() - (ticks[-1].seconds if ticks else 0.0)
        begun = len(ticks)
        for t in range(begun, total):
            with self.phases.stepping(t):
                self._tick(t, ticks, begin)
            self.models.append(self.x[0, 0].clone())
            if self.kept is not None and ((t + 1) % self.kept.every == 0 or t + 1 == total):
                self.kept.write(place()[0], ScheduleRecord(self.n, tuple(ticks)).to_json())
        self._end(set(ticks[-1].starts) if begun < total else set())
        return torch.stack(self.models), ScheduleRecord(self.n, tuple(ticks))

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
            self._give(worker, t + 1, STOP if last else GO)
        subset = tuple(a.worker for a in arrivals)
        versions = tuple(a.version for a in arrivals)
        ticks.append(RecordedTick(subset, versions, tuple(told), time.perf_counter() - begin))

    def _awaited(self, t: int, starts: list[int]) -> list[_Arrival]:
        """The gradients of update t, in the order of workers; those that come too late to count
        are dropped, and their workers put in ``starts``."""
        barrier, pending = self.method.barrier, list[_Arrival]()
        while len(pending) < _needed(barrier, self.n):
            message = self.messages.receive()
            worker = message.source - self.servers
            if isinstance(barrier, BackupWorkers) and self.version[worker] != t:
                self._drop(message)
                self._give(worker, t, GO)
                starts.append(worker)
            else:
                pending.append(_Arrival(worker, self.version[worker], self._row(message)))
        return sorted(pending, key=lambda a: a.worker)

    def _row(self, message: PeerMessage) -> Tensor:
        """A gradient as it is read ``[1, 1, d or slice]``."""
        problem, subset = self.problem, torch.tensor([message.source - self.servers])
        if self.servers > 1:
            return as_numbers(message.payload, problem.dtype)[None, None]
        key = self.key.fold("compress", message.word)
        read = Packet(self.method.compressor, (), key, ONE, problem.d, problem.dtype)
        lengths = None if read.code.fixed_bits is not None else torch.tensor([[message.bits]])
        packed = WireMessage(message.payload[None, None], lengths, message.bits)
        return rows_of(read, packed, subset)

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
        """Workers that begin the next gradient now; the others wait for the slowest."""
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
            self.messages.send(worker + self.servers, STOP, nothing)
        for _ in range(self.n - len(ended) - len(self.idle)):
            message = self.messages.receive()
            self._drop(message)
            self.messages.send(message.source, STOP, nothing)


def _needed(barrier: Barrier, n: int) -> int:
    """Gradients that an update waits for."""
    if isinstance(barrier, Bulk):
        return n
    return n - barrier.b if isinstance(barrier, BackupWorkers) else 1
