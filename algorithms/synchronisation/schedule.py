"""Schedule: who arrives when, having read which version, and who reads then."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple, final

import torch
from torch import Tensor

from algorithms.synchronisation.worker_states import WorkerLost


class Tick(NamedTuple):
    """One server update: worker ids ``[..., k]`` ascending, filled up with n, "nobody".

    ``versions`` ``[..., k]``: ticks the server had done when it gave out the model that an
    arriving gradient was computed on. ``fetches``: who hears the model after this tick.
    ``starts``: who begins its next gradient after it.

    Attributes:
        arrivals: ids of the workers whose gradients the update uses ``[..., k]``.
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
    counts     ``[T, ..., k]`` (int64): gradients each of ``arrivals`` had begun before this one,
               where that does not follow from ``starts``

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
    counts: Tensor | None = None

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

    @cached_property
    def counted(self) -> Tensor:
        """Gradients of all workers that were applied in the first t ticks ``[T + 1, ...]``."""
        each = (self.arrivals < self.n).sum(-1)
        return torch.cat((torch.zeros_like(each[:1]), each.cumsum(0)))

    def begun(self, t: int) -> Tensor:
        """Number of gradients that each of the arrivals of tick t had begun before this one
        ``[..., k]``; 0 of nobody."""
        subset = self.tick(t).arrivals
        if self.counts is not None:
            return self.counts[t]
        earlier = self.starts[:t, ..., None] == subset[..., None, :]
        return earlier.sum((0, -2)) * (subset < self.n)

    @staticmethod
    def of_one_tick(
        n: int, arrivals: Sequence[int], starts: Sequence[int], counts: Sequence[int]
    ) -> Schedule:
        """One tick of one replica, which happens now: ids of who arrives, and of who hears the
        model and starts; ``counts`` gradients that each who arrives had begun before."""
        subset, goes, begun = (torch.tensor([[[*ids]]]) for ids in (arrivals, starts, counts))
        nothing = torch.zeros((1, n))
        return Schedule(
            n,
            subset,
            torch.zeros_like(subset),
            torch.zeros((1, 1), dtype=torch.float64),
            goes,
            goes,
            nothing,
            nothing.long(),
            counts=begun,
        )

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
    def turn(self) -> int:
        """The least number of consecutive ticks in which every worker of every replica arrives,
        wherever within the schedule they begin; one more than its ticks if one never does."""
        longest = 0
        at = torch.arange(self.ticks).reshape(-1, *(1,) * (self.arrivals.dim() - 2))
        for worker in range(self.n):
            came = torch.where((self.arrivals == worker).any(-1), at, -1)
            last = came.cummax(0).values
            before = torch.cat((torch.full_like(last[:1], -1), last[:-1]))
            longest = max(longest, int((at - before).max()), self.ticks - int(last[-1].min()))
        return longest

    @cached_property
    def caches(self) -> bool:
        """Whether some worker begins on a model it fetched earlier, or fetches while it works."""
        return self.fetches.shape != self.starts.shape or bool((self.fetches != self.starts).any())

    @cached_property
    def _widths(self) -> tuple[list[int], list[int], list[int]]:
        """Ids that mean somebody, at most over replicas, of each tick."""
        arrivals, fetches, starts = (
            (ids < self.n).sum(-1).reshape(self.ticks, -1).amax(-1).tolist()
            for ids in map(_once, (self.arrivals, self.fetches, self.starts))
        )
        return arrivals, fetches, starts

    def tick(self, t: int) -> Tick:
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

    def for_replicas(self, replicas: Tensor) -> Schedule:
        """The schedule of the replicas at places ``replicas`` ``[...]`` of this one's axis."""
        ids = replicas.cpu()
        return self._of_parts(lambda part, axis: part[:, ids] if axis else part[ids])

    def for_all(self, shape: tuple[int, ...]) -> Schedule:
        """The schedule of its only replica, for replicas of that shape: a view."""

        def spread(part: Tensor, axis: int) -> Tensor:
            ahead, behind = part.shape[:axis], part.shape[axis + 1 :]
            one = part.reshape(*ahead, *(1,) * len(shape), *behind)
            return one.expand(*ahead, *shape, *behind)

        return self._of_parts(spread)

    def _of_parts(self, chosen: Callable[[Tensor, int], Tensor]) -> Schedule:
        """With what is chosen of every field, given the place of its axis of replicas."""
        return replace(
            self,
            arrivals=chosen(self.arrivals, 1),
            versions=chosen(self.versions, 1),
            seconds=chosen(self.seconds, 1),
            fetches=chosen(self.fetches, 1),
            starts=chosen(self.starts, 1),
            waited=chosen(self.waited, 0),
            dropped=chosen(self.dropped, 0),
            counts=None if self.counts is None else chosen(self.counts, 1),
        )


def _once(ids: Tensor) -> Tensor:
    """Ids ``[T, ..., k]``, one replica of those that share their storage (`Schedule.for_all`)."""
    for axis in range(1, ids.dim() - 1):
        if ids.stride(axis) == 0:
            ids = ids.narrow(axis, 0, min(1, ids.shape[axis]))
    return ids
