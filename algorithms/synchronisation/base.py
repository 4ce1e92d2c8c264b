"""ComputeTimes: how long gradients take; Barrier: what makes a schedule out of that."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.core.key import Draws, Key
from algorithms.kernels.compiled import COMPILED
from algorithms.kernels.row_parts import RowPart, published
from algorithms.synchronisation.drawing import DrawnSchedule, drawn
from algorithms.synchronisation.schedule import Schedule
from algorithms.synchronisation.worker_states import Decision, WorkerLost, WorkerStates
from theory.arrays import Floats
from theory.constants import Constants
from theory.fields import CheckedFields

Mask = NDArray[np.bool_]


class ComputeTimes(ABC):
    """Computing time of one gradient [seconds]; members are frozen dataclasses."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    @property
    def shuffles(self) -> bool:
        """Whether the workers' order of arrival is uniformly random, all being alike."""
        return False

    @abstractmethod
    def seconds(self, draws: Draws, count: int, first: int = 0) -> Tensor:
        """Times ``[..., m, count]`` (float64) of the gradients ``first``, ``first`` + 1, ... of
        each worker, positive; infinite for a gradient that never comes.

        ``draws`` are made for these gradients: others have others.

        Raises:
            ValueError: the model does not know one of ``draws.workers``.
        """

    def seconds_of_steps(self, draws: Draws, word: str, steps: range, count: int = 1) -> Tensor:
        """Times ``[T, ..., m, count]``: of each step t those of ``draws.fold(word, t)``, number t
        and after it."""
        return torch.stack([self.seconds(draws.fold(word, t), count, t) for t in steps])


class Barrier(CheckedFields, ABC):
    """Rule of server updates and of waiting workers; members are frozen dataclasses.

    ``tolerant`` says that it goes on without a worker: one that dies, or whose message is not
    finite. ``counts_by_worker`` says that what a worker draws goes by its own count of gradients,
    not by the tick at which they arrive.
    """

    tolerant: ClassVar[bool] = False
    counts_by_worker: ClassVar[bool] = False

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    @abstractmethod
    def decide(self, now: WorkerStates) -> Decision:
        """The next tick, in every replica."""

    def constants(self, c: Constants, times: ComputeTimes) -> Constants:
        """A problem's constants as the barrier lets the method see them."""
        return c

    def parameter_error(self, n: int) -> str:
        """Error in the parameters for n workers, in words; empty if there is none."""
        return ""

    def row_kernel(self) -> RowPart | None:
        """:meth:`decide` in one replica as a compiled function (kind "tick" of
        ``kernels/row_parts.py``), to the bit; None: there is none. A subclass publishes its own."""
        return None

    @final
    def schedule(
        self, n: int, ticks: int, times: ComputeTimes, key: Key, replicas: Tensor
    ) -> Schedule:
        """Schedule of n workers and ``ticks`` server updates.

        All workers read version 0 at time 0. ``replicas`` are the ids ``[...]``; a replica's
        schedule is a function of (key, its id, n, times) alone, and a shorter schedule is a prefix
        of a longer one, but for ``waited`` and ``dropped``, which are totals.

        Raises:
            ValueError: n < 1 or ticks < 1, or parameters or ``times`` that do not fit n workers.
            WorkerLost: the first tick waits for a worker that never arrives. A later one ends the
                schedule.
        """
        for name, value in (("n", n), ("ticks", ticks)):
            if value < 1:
                raise ValueError(f"{name} must be at least 1, got {name}={value}")
        if parameter_error := self.parameter_error(n):
            raise ValueError(parameter_error)
        ids = replicas.reshape(-1).to(device="cpu", dtype=torch.int64)
        durations = Durations(n, times, key.fold("schedule"), ids)
        now, part = WorkerStates(n, durations), published(self) if COMPILED else None
        if part is None:
            made = self._by_tick(now, ticks)
        else:
            made = drawn(part, now, durations, ticks)
        lost = None if made.lost is None else _lost(self.name, now, made.lost)
        if lost is not None and now.updates == 0:
            raise lost
        return _schedule(made, now, replicas.shape, lost)

    def _by_tick(self, now: WorkerStates, ticks: int) -> DrawnSchedule:
        log = _Log(ticks, now.replicas, now.n)
        for t in range(ticks):
            decision = self.decide(now)
            lost = ~np.isfinite(decision.now)
            if lost.any():
                return log.drawn(t, lost)
            log.put(t, decision, now)
            now.move(decision, t)
        return log.drawn(ticks, None)


class Durations:
    """Compute times by worker and by the number of its gradient, drawn as they are needed."""

    def __init__(self, n: int, times: ComputeTimes, key: Key, replicas: Tensor) -> None:
        self.n, self.times, self.key, self.replicas = n, times, key, replicas
        self.table = self._draw(0)

    def __call__(self, number: NDArray[np.int64]) -> Floats:
        """Seconds ``[R, n]`` of each worker's gradient ``number`` ``[R, n]``."""
        while number.max() >= self.table.shape[-1]:
            self.grow()
        return np.take_along_axis(self.table, number[..., None], axis=-1)[..., 0]

    def one(self, replica: int, worker: int, number: int) -> float:
        """Seconds of one gradient of a worker, in the replica at that place."""
        while number >= self.table.shape[-1]:
            self.grow()
        return float(self.table[replica, worker, number])

    def grow(self) -> None:
        """Draw the next block of gradients."""
        self.table = np.concatenate((self.table, self._draw(self.table.shape[-1])), axis=-1)

    def _draw(self, first: int, block: int = 128) -> Floats:
        draws = self.key.fold("gradients", first).draws(self.replicas, torch.arange(self.n))
        return np.ascontiguousarray(self.times.seconds(draws, block, first).numpy())


class _Log:
    """Events of every tick."""

    def __init__(self, ticks: int, count: int, n: int) -> None:
        self.n = n
        self.seconds = np.empty((ticks, count))
        self.versions = np.empty((ticks, count, n), dtype=np.int32)
        self.arrived, self.fetched, self.started = (
            np.zeros((ticks, count, n), dtype=np.bool_) for _ in range(3)
        )
        self.dropped = np.zeros((count, n), dtype=np.int64)

    def put(self, t: int, decision: Decision, now: WorkerStates) -> None:
        self.seconds[t] = decision.now
        self.versions[t] = now.version
        self.arrived[t], self.fetched[t] = decision.arrived, decision.fetched
        self.started[t] = decision.started
        self.dropped += decision.started & ~decision.arrived & ~now.idle

    def drawn(self, ticks: int, lost: Mask | None) -> DrawnSchedule:
        for name in ("seconds", "versions", "arrived", "fetched", "started"):
            setattr(self, name, getattr(self, name)[:ticks])
        arrivals = self._ids(self.arrived)
        safe = np.minimum(arrivals, self.n - 1)
        versions = np.take_along_axis(self.versions, safe, axis=-1).astype(np.int64)
        versions = np.where(arrivals < self.n, versions, np.arange(ticks)[:, None, None])
        fetches, starts = self._ids(self.fetched), self._ids(self.started)
        return DrawnSchedule(arrivals, versions, fetches, starts, self.seconds, self.dropped, lost)

    def _ids(self, mask: Mask) -> NDArray[np.int64]:
        """Ids ``[T, R, k]`` of the workers in a mask ``[T, R, n]``, then n."""
        many = mask.sum(-1)
        ids = np.full((*many.shape, max(1, int(many.max(initial=0)))), self.n, dtype=np.int64)
        rows = np.repeat(np.arange(many.size), many.reshape(-1))
        slots = np.arange(rows.size) - np.repeat(many.cumsum() - many.reshape(-1), many.reshape(-1))
        ids.reshape(many.size, ids.shape[-1])[rows, slots] = np.nonzero(mask)[-1]
        return ids


def _schedule(
    made: DrawnSchedule, now: WorkerStates, shape: torch.Size, lost: WorkerLost | None
) -> Schedule:
    """The schedule of replicas ``[...]`` of what was drawn for them in one line."""

    def split(array: NDArray[np.generic], axes: int) -> Tensor:
        lead = array.shape[: axes - 1]
        return torch.from_numpy(array).reshape(*lead, *shape, *array.shape[axes:])

    return Schedule(
        now.n, split(made.arrivals, 2), split(made.versions, 2), split(made.seconds, 2),
        split(made.fetches, 2), split(made.starts, 2), split(now.waited, 1), split(made.dropped, 1),
        lost,
    )  # fmt: skip


def _lost(barrier: str, now: WorkerStates, lost: Mask) -> WorkerLost:
    replica = int(np.flatnonzero(lost)[0])
    subset = np.flatnonzero(np.isinf(now.finish[replica]) & ~now.idle[replica]).tolist()
    return WorkerLost(barrier, now.updates, replica, tuple(subset))
