"""Schedule: who arrives when, having read which version; Barrier: what makes one out of times."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, replace
from functools import cached_property
from typing import ClassVar, NamedTuple, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.key import Draws, Key
from algorithms.synchronisation.standing import Decision, Standing, WorkerLost
from theory.constants import Constants

Mask = NDArray[np.bool_]


class ComputeTimes(ABC):
    """How long a worker computes one gradient [seconds]; members are frozen dataclasses."""

    @property
    @abstractmethod
    def name(self) -> str: ...

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


class Tick(NamedTuple):
    """One server update: worker ids ``[..., k]`` ascending, filled up with n, "nobody".

    ``versions`` ``[..., k]``: ticks the server had done when it gave out the model that an
    arriving gradient was computed on. ``fetches``: who hears the model after this tick.
    ``starts``: who begins its next gradient after it.
    """

    arrivals: Tensor
    versions: Tensor
    fetches: Tensor
    starts: Tensor


@final
@dataclass(frozen=True)
class Schedule:
    """T ticks: at tick t the server applies what ``arrivals[t]`` bring; then models are read.

    arrivals   worker ids ``[T, ..., k]`` (int64), ascending, n for nobody; leading axes after T
               are replicas
    versions   ``[T, ..., k]`` (int64) as in :class:`Tick`
    seconds    when the tick happens ``[T, ...]`` (float64), never decreasing
    fetches, starts  worker ids ``[T, ..., k']`` as in :class:`Tick`
    waited     seconds that each worker stood idle ``[..., n]``
    dropped    gradients of each worker that were thrown away half-done ``[..., n]`` (int64)
    lost       why there are no more ticks than these, if a worker was waited for in vain

    Raises:
        ValueError: shapes or types that do not fit, or a version outside [0, t].
    """

    n: int
    arrivals: Tensor
    versions: Tensor
    seconds: Tensor
    fetches: Tensor
    starts: Tensor
    waited: Tensor
    dropped: Tensor
    lost: WorkerLost | None = None

    def __post_init__(self) -> None:
        if self.arrivals.dtype != torch.int64 or self.arrivals.dim() < 2 or not self.ticks:
            raise ValueError(
                "arrivals must be int64 [T, ..., k] with T >= 1, got "
                f"{self.arrivals.dtype} of shape {tuple(self.arrivals.shape)}"
            )
        shape = self.arrivals.shape
        for name, dtype, wanted in (
            ("seconds", torch.float64, shape[:-1]),
            ("versions", torch.int64, shape),
        ):
            value: Tensor = getattr(self, name)
            if value.shape != wanted or value.dtype != dtype:
                raise ValueError(
                    f"{name} must be {dtype} of shape {tuple(wanted)}, to fit arrivals, got "
                    f"{value.dtype} of shape {tuple(value.shape)}"
                )
        version = torch.arange(self.ticks).reshape(-1, *(1,) * (len(shape) - 1))
        if ((self.versions < 0) | (self.versions > version)).any():
            raise ValueError("versions must lie in [0, t] at tick t: nobody reads the future")

    @property
    def ticks(self) -> int:
        """Number of server updates T."""
        return self.arrivals.shape[0]

    @cached_property
    def staleness(self) -> Tensor:
        """Server updates between the version read and its gradient's tick, ``[T, ..., k]``."""
        version = torch.arange(self.ticks).reshape(-1, *(1,) * (self.arrivals.dim() - 1))
        return torch.where(self.arrivals < self.n, version - self.versions, 0)

    @property
    def tau(self) -> int:
        """Largest staleness of all ticks and replicas: the delay bound of this schedule."""
        return int(self.staleness.max())

    @cached_property
    def caches(self) -> bool:
        """Whether some worker begins on a model it fetched earlier, or fetches while it works."""
        return self.fetches.shape != self.starts.shape or bool((self.fetches != self.starts).any())

    @cached_property
    def _widths(self) -> tuple[list[int], list[int], list[int]]:
        """Ids that mean somebody, at most over replicas, of each tick."""
        arrivals, fetches, starts = (
            (ids < self.n).sum(-1).reshape(self.ticks, -1).amax(-1).tolist()
            for ids in (self.arrivals, self.fetches, self.starts)
        )
        return arrivals, fetches, starts

    def at(self, t: int) -> Tick:
        """Tick t.

        Raises:
            ValueError: t lies beyond the schedule.
            WorkerLost: the schedule ended before t, because a worker was waited for in vain.
        """
        if self.lost is not None and t >= self.ticks:
            raise self.lost
        if not 0 <= t < self.ticks:
            raise ValueError(f"step {t} lies beyond the schedule of ticks={self.ticks} updates")
        arrivals, fetches, starts = (width[t] for width in self._widths)
        return Tick(
            self.arrivals[t][..., :arrivals],
            self.versions[t][..., :arrivals],
            self.fetches[t][..., :fetches],
            self.starts[t][..., :starts],
        )

    def of(self, replicas: Tensor) -> Schedule:
        """The schedule of the replicas at places ``replicas`` ``[...]`` of this one's axis."""
        ids = replicas.cpu()
        per_tick = {
            name: getattr(self, name)[:, ids]
            for name in ("arrivals", "versions", "seconds", "fetches", "starts")
        }
        return replace(self, **per_tick, waited=self.waited[ids], dropped=self.dropped[ids])


class Barrier(ABC):
    """When the server updates, and who waits for whom; members are frozen dataclasses.

    ``tolerant`` says that it goes on without a worker: one that dies, or whose message is not
    finite.
    """

    tolerant: ClassVar[bool] = False

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def decide(self, now: Standing) -> Decision:
        """The next tick, in every replica."""

    def constants(self, c: Constants, times: ComputeTimes) -> Constants:
        """A problem's constants as the barrier lets the method see them."""
        return c

    def complaint(self, n: int) -> str:
        """What is wrong with the parameters for n workers; empty if nothing is."""
        return ""

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
        if complaint := self.complaint(n):
            raise ValueError(complaint)
        ids = replicas.reshape(-1).to(device="cpu", dtype=torch.int64)
        log = _Log(ticks, ids.numel(), n)
        now = Standing(n, _Durations(n, times, key.fold("schedule"), ids))
        for t in range(ticks):
            decision = self.decide(now)
            lost = ~np.isfinite(decision.now)
            if lost.any():
                return log.schedule(now, replicas.shape, _lost(self.name, t, now, lost))
            log.put(t, decision, now)
            now.move(decision, t)
        return log.schedule(now, replicas.shape)


class _Durations:
    """Compute times by worker and by the number of its gradient, drawn as they are needed."""

    def __init__(self, n: int, times: ComputeTimes, key: Key, replicas: Tensor) -> None:
        self.n, self.times, self.key, self.replicas = n, times, key, replicas
        self.table = self._draw(0)

    def __call__(self, number: NDArray[np.int64]) -> NDArray[np.float64]:
        """Seconds ``[R, n]`` of each worker's gradient ``number`` ``[R, n]``."""
        while number.max() >= self.table.shape[-1]:
            self.table = np.concatenate((self.table, self._draw(self.table.shape[-1])), axis=-1)
        return np.take_along_axis(self.table, number[..., None], axis=-1)[..., 0]

    def _draw(self, first: int, block: int = 128) -> NDArray[np.float64]:
        draws = self.key.fold("gradients", first).draws(self.replicas, torch.arange(self.n))
        return self.times.seconds(draws, block, first).numpy()


class _Log:
    """What happened at every tick."""

    def __init__(self, ticks: int, count: int, n: int) -> None:
        self.n = n
        self.seconds = np.empty((ticks, count))
        self.versions = np.empty((ticks, count, n), dtype=np.int32)
        self.arrived, self.fetched, self.started = (
            np.zeros((ticks, count, n), dtype=np.bool_) for _ in range(3)
        )
        self.dropped = np.zeros((count, n), dtype=np.int64)

    def put(self, t: int, decision: Decision, now: Standing) -> None:
        self.seconds[t] = decision.now
        self.versions[t] = now.version
        self.arrived[t], self.fetched[t] = decision.arrived, decision.fetched
        self.started[t] = decision.started
        self.dropped += decision.started & ~decision.arrived & ~now.idle

    def schedule(
        self, now: Standing, shape: torch.Size, lost: WorkerLost | None = None
    ) -> Schedule:
        ticks = now.updates
        if lost is not None and ticks == 0:
            raise lost
        for name in ("seconds", "versions", "arrived", "fetched", "started"):
            setattr(self, name, getattr(self, name)[:ticks])
        arrivals = self._ids(self.arrived)
        safe = np.minimum(arrivals, self.n - 1)
        versions = np.take_along_axis(self.versions, safe, axis=-1)
        versions = np.where(arrivals < self.n, versions, np.arange(ticks)[:, None, None])

        def split(array: NDArray[np.generic], axes: int) -> Tensor:
            lead = array.shape[: axes - 1]
            return torch.from_numpy(array).reshape(*lead, *shape, *array.shape[axes:])

        return Schedule(
            self.n,
            split(arrivals, 2),
            split(versions.astype(np.int64), 2),
            split(self.seconds, 2),
            split(self._ids(self.fetched), 2),
            split(self._ids(self.started), 2),
            split(now.waited, 1),
            split(self.dropped, 1),
            lost,
        )

    def _ids(self, mask: Mask) -> NDArray[np.int64]:
        """Ids ``[T, R, k]`` of the workers in a mask ``[T, R, n]``, then n."""
        width = max(1, int(mask.sum(-1).max()))
        order = np.argsort(~mask, axis=-1, kind="stable")[..., :width]
        return np.where(np.take_along_axis(mask, order, axis=-1), order, self.n)


def _lost(barrier: str, t: int, now: Standing, lost: Mask) -> WorkerLost:
    replica = int(np.flatnonzero(lost)[0])
    who = np.flatnonzero(np.isinf(now.finish[replica]) & ~now.idle[replica]).tolist()
    return WorkerLost(barrier, t, replica, tuple(who))
