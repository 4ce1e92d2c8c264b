"""Worker states: where every worker stands between two ticks; Decision: what the next tick does."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from theory.arrays import Floats

Counts = NDArray[np.int64]
Mask = NDArray[np.bool_]


class WorkerLost(RuntimeError):
    """A barrier waits for workers that never arrive; ``trace`` holds what a run did before."""

    def __init__(self, barrier: str, t: int, replica: int, workers: tuple[int, ...]) -> None:
        subset = ", ".join(str(i) for i in workers)
        super().__init__(
            f"{barrier} waits for ever at step {t} (replica {replica}) for worker {subset}, which "
            "died or stalls; restart it, or choose a barrier that goes on without it: backup "
            "workers, a deadline or asynchronous updates"
        )
        self.step, self.replica, self.workers = t, replica, workers
        self.trace: Any = None


class Decision(NamedTuple):
    """One tick of every replica: when ``[R]``, and masks ``[R, n]``.

    A worker that starts without having arrived, and was not idle, drops what it was computing.

    Attributes:
        now: when the tick happens ``[R]`` [seconds].
        arrived: whose gradients the update uses ``[R, n]``.
        fetched: who gets the new model ``[R, n]``.
        started: who begins its next gradient ``[R, n]``.
    """

    now: Floats
    arrived: Mask
    fetched: Mask
    started: Mask


@final
class WorkerStates:
    """All replicas between two ticks; arrays ``[R, n]``.

    now      the time ``[R]``; ``updates`` the number of ticks so far
    finish   when the gradient under way arrives; infinite for one that never does, or none
    idle     arrived, and not allowed to start yet
    clock    gradients delivered; ``begun`` counts those begun
    version  server version behind the gradient under way; ``cached`` that of the model held
    stamp    the slowest worker's clock when the model held was fetched
    """

    def __init__(self, n: int, durations: Callable[[Counts], Floats]) -> None:
        self._durations = durations
        zero = np.zeros((1, n), dtype=np.int64)
        self.finish = durations(zero).copy()
        self.n, shape = n, self.finish.shape
        self.now = np.zeros(shape[0])
        self.updates = 0
        self.idle = np.zeros(shape, dtype=np.bool_)
        self.clock, self.version, self.cached, self.stamp = (
            np.zeros(shape, dtype=np.int64) for _ in range(4)
        )
        self.begun = np.ones(shape, dtype=np.int64)
        self.since, self.waited = np.zeros(shape), np.zeros(shape)

    @property
    def replicas(self) -> int:
        """Number R of replicas, the leading axis of all arrays here."""
        return len(self.finish)

    def nobody(self) -> Mask:
        """An empty mask ``[R, n]``."""
        return np.zeros(self.finish.shape, dtype=np.bool_)

    def first(self, count: int) -> Mask:
        """The ``count`` workers that arrive first; ties go to the lowest ids."""
        if count == 1:
            order = np.argmin(self.finish, axis=1)[:, None]
        else:
            order = np.argsort(self.finish, axis=1, kind="stable")[:, :count]
        mask = self.nobody()
        np.put_along_axis(mask, order, True, axis=1)
        return mask

    def latest(self, mask: Mask) -> Floats:
        """Arrival time of the last of ``mask`` ``[R]``, not before now."""
        latest: Floats = np.where(mask, self.finish, -np.inf).max(axis=1)
        return np.maximum(self.now, latest)

    def move(self, decision: Decision, t: int) -> None:
        """Carry out the decision of tick t: fetch models and start gradients."""
        now, arrived, fetched, started = decision
        self.now = now
        self.updates += 1
        self.clock += arrived
        self.since = np.where(arrived, np.where(self.idle, self.since, self.finish), self.since)
        waiting = self.idle | arrived
        self.waited += np.where(started & waiting, now[:, None] - self.since, 0.0)
        self.idle = waiting & ~started
        self.stamp = np.where(fetched, self.clock.min(axis=1, keepdims=True), self.stamp)
        self.cached[fetched] = t + 1
        self.version[started] = self.cached[started]
        begins = now[:, None] + self._durations(np.broadcast_to(self.begun, self.finish.shape))
        self.finish = np.where(started, begins, np.where(self.idle, np.inf, self.finish))
        self.begun = self.begun + started
