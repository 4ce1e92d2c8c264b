"""Assignment: which worker computes at the model of an update, and the schedule that follows."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import deque
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.core.key import Key
from algorithms.synchronisation.base import ComputeTimes, Durations
from algorithms.synchronisation.schedule import Schedule
from algorithms.synchronisation.worker_states import WorkerLost
from theory.arrays import Floats


class Assignment(ABC):
    """Rule of whom the model after an update goes to; members are frozen dataclasses."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports and in messages."""

    @abstractmethod
    def workers(self, n: int, ticks: int, key: Key, replicas: Tensor) -> NDArray[np.int64]:
        """Ids ``[R, T]`` of who gets the models of ticks 0, ..., T - 1 in ``replicas`` ``[R]``; -1:
        whoever has just arrived."""


@final
@dataclass(frozen=True)
class FirstComeFirstServed(Assignment):
    """First come, first served: who arrives gets the next model (pure asynchronous SGD)."""

    @property
    def name(self) -> str:
        return "to whoever arrives"

    def workers(self, n: int, ticks: int, key: Key, replicas: Tensor) -> NDArray[np.int64]:
        return np.full((replicas.numel(), ticks), -1)


@final
@dataclass(frozen=True)
class AtRandom(Assignment):
    """Uniformly drawn workers, whatever they are doing."""

    @property
    def name(self) -> str:
        return "at random"

    def workers(self, n: int, ticks: int, key: Key, replicas: Tensor) -> NDArray[np.int64]:
        draws = key.fold("assigned").draws(replicas, torch.arange(1))
        return draws.integers(n, ticks)[:, 0].numpy()


@final
@dataclass(frozen=True)
class Reshuffled(Assignment):
    """A new uniformly random order of all workers for every n updates."""

    @property
    def name(self) -> str:
        return "in shuffled order"

    def workers(self, n: int, ticks: int, key: Key, replicas: Tensor) -> NDArray[np.int64]:
        epochs = -(-ticks // n)
        u = key.fold("order").draws(replicas, torch.arange(n)).uniform(epochs, torch.float64)
        order = u.argsort(dim=-2, stable=True).transpose(-1, -2)
        return order.reshape(replicas.numel(), epochs * n)[:, :ticks].numpy()


class _Events(NamedTuple):
    """Columns of a replica's ticks."""

    arrivals: list[int]
    versions: list[int]
    counts: list[int]
    fetches: list[int]
    starts: list[list[int]]
    seconds: list[float]


def assigned_schedule(
    rule: Assignment, n: int, ticks: int, times: ComputeTimes, key: Key, replicas: Tensor
) -> Schedule:
    """Schedule of n workers who compute what they are given in the order in which they get it.

    At first everybody has the start; after each arrival the new model is given to one worker, who
    takes it up at once if idle, else after what waits for it already: n gradients are under way or
    waiting at any time. (Islamov, Safaryan, Alistarh 2023, arXiv:2310.20452, Algorithm 1.) Ties go
    to the lowest id; replicas are independent.

    Raises:
        ValueError: n < 1 or ticks < 1.
        WorkerLost: nobody who has something to compute ever arrives.
    """
    for name, value in (("n", n), ("ticks", ticks)):
        if value < 1:
            raise ValueError(f"{name} must be at least 1, got {name}={value}")
    ids = replicas.reshape(-1).to(device="cpu", dtype=torch.int64)
    goes = rule.workers(n, ticks, key.fold("assignment"), ids)
    durations = Durations(n, times, key.fold("schedule"), ids)
    made = [_replica(n, r, goes[r], durations, rule.name) for r in range(len(ids))]
    columns = [
        torch.from_numpy(np.array([getattr(one[0], name) for one in made])).transpose(0, 1)
        for name in _Events._fields
    ]
    arrivals, versions, counts, fetches, starts, seconds = columns
    lead = tuple(replicas.shape)
    wide = (ticks, *lead, 1)
    return Schedule(
        n, arrivals.reshape(wide), versions.reshape(wide), seconds.reshape(ticks, *lead),
        fetches.reshape(wide), starts.reshape(ticks, *lead, 2),
        torch.tensor(np.stack([one[1] for one in made])).reshape(*lead, n),
        torch.zeros((*lead, n), dtype=torch.int64), counts=counts.reshape(wide),
    )  # fmt: skip


def _replica(
    n: int, replica: int, goes: NDArray[np.int64], durations: Durations, name: str
) -> tuple[_Events, Floats]:
    """Ticks of one replica, and the seconds that each worker stood idle."""
    waiting: list[deque[int]] = [deque() for _ in range(n)]
    under_way, begun = [0] * n, [1] * n
    finish = np.array([durations.one(replica, i, 0) for i in range(n)])
    idle_since, idle = np.zeros(n), np.zeros(n)
    events = _Events([], [], [], [], [], [])

    def start(i: int, now: float) -> None:
        under_way[i] = waiting[i].popleft()
        finish[i] = now + durations.one(replica, i, begun[i])
        begun[i] += 1

    for t, given in enumerate(goes.tolist()):
        subset = int(finish.argmin())
        now, goes_to = float(finish[subset]), subset if given < 0 else given
        if not np.isfinite(now):
            gone = tuple(i for i in range(n) if begun[i] and waiting[i])
            raise WorkerLost(f"assignment {name}", t, replica, gone)
        events.arrivals.append(subset)
        events.versions.append(under_way[subset])
        events.counts.append(begun[subset] - 1)
        events.fetches.append(goes_to)
        events.seconds.append(now)
        finish[subset], idle_since[subset] = np.inf, now
        waiting[goes_to].append(t + 1)
        starting = sorted(i for i in {subset, goes_to} if waiting[i] and np.isinf(finish[i]))
        for i in starting:
            idle[i] += now - idle_since[i]
            start(i, now)
        events.starts.append([*starting, n, n][:2])
    return events, idle
