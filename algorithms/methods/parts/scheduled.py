"""Scheduled: methods that follow who arrives when, and where the rows of those lie."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from typing import TYPE_CHECKING, Protocol, TypeVar

import torch
from torch import Tensor

from algorithms.core.key import Key, NumbersAsked
from algorithms.methods.base import Method, RunContext
from algorithms.network.base import Network
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.schedule import Schedule
from theory.constants import Constants, Kind, Statement


class Planned(Protocol):
    """A state that holds the plan."""

    @property
    def schedule(self) -> Schedule:
        """The schedule in the world's replicas."""


State = TypeVar("State", bound=Planned)


class Scheduled(Method[State]):
    """A step is a tick of the ``barrier``'s schedule under ``times``, drawn from ``schedule_seed``
    for up to ``replicas`` replicas; members are frozen dataclasses that say these, and ``ticks``.
    """

    if TYPE_CHECKING:  # read-only; a member may hold it as a field

        @property
        def ticks(self) -> int: ...
        @property
        def times(self) -> ComputeTimes: ...
        @property
        def barrier(self) -> Barrier: ...
        @property
        def schedule_seed(self) -> int: ...
        @property
        def replicas(self) -> int: ...

    def schedule(self, n: int) -> Schedule:
        """Its schedule for n workers, in replicas 0, 1, ..."""
        return self._of(n, range(self.replicas))

    def _of(self, n: int, ids: Iterable[int]) -> Schedule:
        times, seed = self.times, self.schedule_seed
        return _drawn(self.barrier, n, self.ticks, times, seed, tuple(ids))

    def plan(self, context: RunContext) -> Schedule:
        """Its schedule in the world's replicas, for which alone it is drawn.

        Raises:
            ValueError: the world has more replicas than it is drawn for.
            NumbersAsked: the world's key has no numbers: a schedule is drawn.
        """
        ids = context.replicas
        if not context.key.numbers:
            raise NumbersAsked
        if int(ids.max()) >= self.replicas:
            raise ValueError(
                f"the schedule is drawn for replicas={self.replicas} replicas, got replica ids up "
                f"to {int(ids.max())}; raise the method's replicas"
            )
        flat = ids.reshape(-1)
        if flat.numel() > 1 and bool((flat == flat[0]).all()):  # drawn once, whoever asks
            return self._of(context.network.n, flat[:1].tolist()).for_all(tuple(ids.shape))
        alone = self._of(context.network.n, flat.tolist())
        return (
            alone
            if ids.dim() == 1
            else alone.for_replicas(torch.arange(ids.numel()).view(ids.shape))
        )

    def number(self, state: State, t: int) -> int:
        """Index of the random numbers of tick t: t, or, where workers do not know at which tick
        they will arrive, how many gradients the only arrival had begun before.

        Raises:
            ValueError: several arrive, of whom each counts for itself.
        """
        if not self.barrier.counts_by_worker:
            return t
        begun = state.schedule.begun(t)
        if begun.shape[-1] != 1:
            raise ValueError(
                f"barrier must let one worker arrive at a time, got {begun.shape[-1]} at tick {t}"
            )
        return int(begun.reshape(-1)[0])

    def staleness(self, n: int) -> Constants:
        """tau of its schedule for n workers."""
        known = Statement(Kind.UPPER, "this schedule", "largest staleness over ticks and replicas")
        return Constants().state(known, tau=self.schedule(n).tau)

    def seconds(self, state: State, t: int) -> Tensor | None:
        happened = state.schedule.seconds
        return happened[min(t, self.ticks) - 1] if t else torch.zeros_like(happened[0])

    def computed(self, state: State, t: int) -> Tensor | None:
        return state.schedule.counted[min(t, self.ticks)] / state.schedule.n


@lru_cache(maxsize=16)
def _drawn(
    barrier: Barrier, n: int, ticks: int, times: ComputeTimes, seed: int, ids: tuple[int, ...]
) -> Schedule:
    """Kept because it is asked for again."""
    return barrier.schedule(n, ticks, times, Key.seed(seed), torch.tensor(ids))


def places(active: Tensor, network: Network, like: Tensor) -> Tensor:
    """Places of the rows of workers ``active`` ``[..., k]`` in ``like`` ``[..., m + 1, d]``.

    The last row for nobody and for workers elsewhere. Shape ``[..., k, d]``, as gather and scatter
    take it.
    """
    spare = torch.full_like(active, like.shape[-2] - 1)
    row = torch.where(network.is_local(active), network.position(active), spare)
    return row[..., None].expand(*active.shape, like.shape[-1])
