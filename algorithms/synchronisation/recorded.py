"""A schedule that happened: who arrived when, having read which version; a file, and a barrier."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, NamedTuple, final

import numpy as np

from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.worker_states import Decision, Mask, WorkerStates


@final
class RecordedTick(NamedTuple):
    """One update of a server.

    Attributes:
        arrivals: ids of the workers whose gradients it used, ascending.
        versions: updates the server had made when it gave each the model it computed on.
        starts: ids of the workers that were given the model after it, until the next, ascending.
        seconds: when it happened, after the start.
    """

    arrivals: tuple[int, ...]
    versions: tuple[int, ...]
    starts: tuple[int, ...]
    seconds: float


@final
@dataclass(frozen=True)
class ScheduleRecord:
    """Event record of n workers and their server.

    Attributes:
        n: number of workers.
        ticks: the server's updates, in order.

    Raises:
        ValueError: no tick, an id outside [0, n), a version of the future, time that runs back.
    """

    n: int
    ticks: tuple[RecordedTick, ...]

    def __post_init__(self) -> None:
        if not self.ticks:
            raise ValueError("ticks must be at least one update, got none")
        last = 0.0
        for t, tick in enumerate(self.ticks):
            ids = (*tick.arrivals, *tick.starts)
            if any(not 0 <= i < self.n for i in ids):
                raise ValueError(f"ids must lie in [0, {self.n}), got {ids} at tick {t}")
            if len(tick.versions) != len(tick.arrivals) or any(
                not 0 <= v <= t for v in tick.versions
            ):
                raise ValueError(
                    f"versions must be one in [0, {t}] for each arrival, got {tick.versions} for "
                    f"{tick.arrivals} at tick {t}"
                )
            if not last <= tick.seconds < np.inf:
                raise ValueError(
                    f"seconds must be finite and never decrease, got {tick.seconds} at tick {t} "
                    f"after {last}"
                )
            last = tick.seconds

    @cached_property
    def staleness(self) -> tuple[int, ...]:
        """Updates between the version read and the tick of each gradient, in order of ticks."""
        return tuple(t - v for t, tick in enumerate(self.ticks) for v in tick.versions)

    @cached_property
    def durations(self) -> tuple[tuple[float, ...], ...]:
        """Seconds from the start of each worker's gradients to their arrival, messages included;
        of those that counted, by worker."""
        begun, found = [0.0] * self.n, [list[float]() for _ in range(self.n)]
        for tick in self.ticks:
            for i in tick.arrivals:
                found[i].append(tick.seconds - begun[i])
            for i in tick.starts:
                begun[i] = tick.seconds
        return tuple(map(tuple, found))

    def to_json(self) -> str:
        """The file: n, and of each tick its fields by name."""
        return json.dumps({"n": self.n, "ticks": [tick._asdict() for tick in self.ticks]})

    @staticmethod
    def from_json(text: str) -> ScheduleRecord:
        """Record that :meth:`to_json` wrote.

        Raises:
            ValueError: not such a file, or not such a schedule.
        """
        try:
            told: dict[str, Any] = json.loads(text)
            ticks = tuple(
                RecordedTick(
                    _ids(tick["arrivals"]),
                    _ids(tick["versions"]),
                    _ids(tick["starts"]),
                    float(tick["seconds"]),
                )
                for tick in told["ticks"]
            )
            n = int(told["n"])
        except (KeyError, TypeError, json.JSONDecodeError) as error:
            raise ValueError(f"not a recorded schedule: {type(error).__name__} {error}") from error
        return ScheduleRecord(n, ticks)


def _ids(told: Iterable[int]) -> tuple[int, ...]:
    return tuple(int(i) for i in told)


@final
@dataclass(frozen=True)
class Recorded(Barrier):
    """The barrier that lets happen what happened, in every replica.

    Random numbers are those of each worker's own count of gradients, since no worker knows at
    which tick its gradient will arrive.

    Attributes:
        record: the schedule.
    """

    record: ScheduleRecord

    counts_by_worker: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return f"as recorded, {len(self.record.ticks)} updates"

    def parameter_error(self, n: int) -> str:
        fits = n == self.record.n
        return "" if fits else f"n must be the record's {self.record.n} workers, got n={n}"

    def decide(self, now: WorkerStates) -> Decision:
        """The next recorded tick.

        Raises:
            ValueError: there is none, or a worker arrives with another version than recorded.
        """
        if now.updates >= len(self.record.ticks):
            raise ValueError(
                f"ticks must be at most the record's {len(self.record.ticks)} updates, got more"
            )
        tick = self.record.ticks[now.updates]
        arrived, started = self._mask(tick.arrivals, now), self._mask(tick.starts, now)
        read = tuple(int(v) for v in now.version[0, list(tick.arrivals)])
        if read != tick.versions:
            raise ValueError(
                f"versions {tick.versions} of workers {tick.arrivals} at tick {now.updates} do not "
                f"follow from who started when, which gives {read}"
            )
        seconds = np.full(now.replicas, tick.seconds)
        return Decision(seconds, arrived, started, started)

    def _mask(self, ids: tuple[int, ...], now: WorkerStates) -> Mask:
        mask = now.nobody()
        mask[:, list(ids)] = True
        return mask


@final
@dataclass(frozen=True)
class CountedByWorker(Barrier):
    """A barrier whose workers draw by their own count of gradients, as they must where time passes:
    none knows at which tick it will arrive.

    Attributes:
        barrier: who waits for whom.
    """

    barrier: Barrier

    counts_by_worker: ClassVar[bool] = True

    @property
    def name(self) -> str:
        return self.barrier.name

    def parameter_error(self, n: int) -> str:
        return self.barrier.parameter_error(n)

    def decide(self, now: WorkerStates) -> Decision:
        return self.barrier.decide(now)
