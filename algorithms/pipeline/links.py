"""Links of blocks of steps: who hears whom at each of them, as arrays, and what that costs."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any, NamedTuple, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.network.base import in_neighbours
from algorithms.network.clock import Clock
from algorithms.network.receive_pattern import ReceivePattern
from algorithms.network.simulated import Simulated
from algorithms.pipeline.base import Place
from algorithms.topologies.base import MixingSequence, Neighbours
from algorithms.topologies.random_mixing import DrawnMeetings, RandomMixing


class LinkLists(NamedTuple):
    """Gossip lists of several steps.

    Attributes:
        incoming: whom each worker hears ``[P (R or 1), n, s]``, in the order in which it adds: P
            lists, or R of each.
        weight: with which weights, in the run's type.
        slots: how many of the s slots there are ``[P]``.
        phases: which of the P each step has ``[T]``.
    """

    incoming: NDArray[np.int64]
    weight: NDArray[Any]
    slots: NDArray[np.int64]
    phases: NDArray[np.int64]


def no_lists(n: int, kind: Any, count: int) -> LinkLists:
    """Those of workers that hear nobody."""
    index, weight = np.zeros((1, n, 1), np.int64), np.zeros((1, n, 1), kind)
    return LinkLists(index, weight, np.ones(1, np.int64), np.zeros(count, np.int64))


def side_by_side(several: Sequence[LinkLists]) -> LinkLists:
    """Lists of L links as one table: those of a step lie behind one another, and its phase is the
    first of them."""
    pairs, phases = np.unique(
        np.stack([one.phases for one in several], -1), axis=0, return_inverse=True
    )
    slots = np.concatenate([one.slots[pairs[:, k]] for k, one in enumerate(several)])
    order = np.arange(len(slots)).reshape(len(several), -1).T.reshape(-1)
    most = max(one.incoming.shape[-1] for one in several)

    def joined(tables: Sequence[NDArray[Any]]) -> NDArray[Any]:
        wide = [
            np.pad(table[pairs[:, k]], ((0, 0), (0, 0), (0, most - table.shape[-1])))
            for k, table in enumerate(tables)
        ]
        return np.ascontiguousarray(np.concatenate(wide)[order])

    return LinkLists(
        joined([one.incoming for one in several]), joined([one.weight for one in several]),
        slots[order], len(several) * phases.reshape(-1),
    )  # fmt: skip


class Links(ABC):
    """Communication links at each step."""

    @abstractmethod
    def lists(self, place: Place, t: int, until: int, replicas: NDArray[np.int64]) -> LinkLists:
        """Those of the steps t, ..., ``until`` - 1.

        Raises:
            NumbersAsked: they are drawn, and the key has no numbers.
        """

    @abstractmethod
    def charge(self, place: Place, t: int, count: NDArray[np.int64], bits: int | Tensor) -> None:
        """Charge the ledger for ``count`` ``[T]`` exchanges in the steps from t on, of messages of
        ``bits``, one number or ``[T, ..., n]``."""

    @abstractmethod
    def charge_time(self, place: Place, watch: Clock, t: int, bits: int | Tensor) -> None:
        """Charge the clock for one exchange of step t."""


@final
class FixedLists(Links):
    """Lists that are known in advance: ``phase`` says which of them step t has."""

    def __init__(self, known: tuple[Neighbours, ...], phase: Callable[[int], int]) -> None:
        self.known, self.phase = known, phase
        self._tables: tuple[Any, Any, Any] | None = None

    @staticmethod
    def from_topology(
        topology: MixingSequence, number: Callable[[int], int] = lambda t: t
    ) -> FixedLists:
        """Those of a mixing sequence; ``number`` is which exchange it is that step t makes."""
        period = topology.period
        known = tuple(topology.neighbours(t) for t in range(period))
        return FixedLists(known, lambda t: number(t) % period)

    def lists(self, place: Place, t: int, until: int, replicas: NDArray[np.int64]) -> LinkLists:
        if self._tables is None:
            self._tables = self._joined(place.problem.dtype)
        return LinkLists(*self._tables, self._phases(t, until))

    def _phases(self, t: int, until: int) -> NDArray[np.int64]:
        if len(self.known) == 1:
            return np.zeros(until - t, np.int64)
        return np.array([self.phase(s) for s in range(t, until)], np.int64)

    def _joined(self, dtype: torch.dtype) -> tuple[Any, Any, Any]:
        slots = np.array([lists.index.shape[1] for lists in self.known], np.int64)
        shape = (len(self.known), self.known[0].index.shape[0], int(slots.max()))
        index, weight = np.zeros(shape, np.int64), torch.zeros(shape, dtype=dtype).numpy()
        for p, lists in enumerate(self.known):
            index[p, :, : slots[p]] = lists.index.numpy()
            weight[p, :, : slots[p]] = lists.weight.to(dtype).numpy()
        return index, weight, slots

    def charge(self, place: Place, t: int, count: NDArray[np.int64], bits: int | Tensor) -> None:
        network: Simulated = place.network
        phases = self._phases(t, t + len(count))
        for p in np.unique(phases[count > 0]).tolist():
            mine = np.where(phases == p, count, 0)
            times = int(mine.sum())
            if isinstance(bits, int):
                amount: int | Tensor = times * bits
            else:
                amount = torch.tensordot(torch.from_numpy(mine), bits, 1)
            network.charge_mixing(self.known[p], place.problem.dtype, amount, times)

    @cached_property
    def _heard(self) -> list[Tensor]:
        return [in_neighbours(lists.senders) for lists in self.known]

    def charge_time(self, place: Place, watch: Clock, t: int, bits: int | Tensor) -> None:
        watch.exchange(bits, self._heard[self.phase(t)])


@final
class MeetingLinks(Links):
    """Random meetings, drawn for a block of steps at once."""

    def __init__(self, law: RandomMixing) -> None:
        self.law = law
        self._last: tuple[tuple[int, int], DrawnMeetings] | None = None

    def _drawn(self, place: Place, t: int, until: int) -> DrawnMeetings:
        """In all replicas: how many slots there are may depend on them."""
        if self._last is None or not (self._last[0][0] <= t and until <= self._last[0][1]):
            replicas = place.replicas.reshape(-1).contiguous()
            self._last = (t, until), self.law.over(range(t, until), place.key, replicas)
        (first, _), drawn = self._last
        here = slice(t - first, until - first)
        return DrawnMeetings(drawn.sources[here], drawn.weights[here], drawn.slots[here])

    def lists(self, place: Place, t: int, until: int, replicas: NDArray[np.int64]) -> LinkLists:
        sources, weights, slots = self._drawn(place, t, until)
        every = place.replicas.reshape(-1).numpy()
        if len(replicas) < len(every):
            mine = np.isin(every, replicas)
            sources, weights = sources[:, mine], weights[:, mine]
        kind = np.float32 if place.problem.dtype == torch.float32 else np.float64
        flat = (-1, *sources.shape[-2:])
        return LinkLists(
            sources.reshape(flat), weights.astype(kind).reshape(flat), slots, np.arange(until - t)
        )

    def charge(self, place: Place, t: int, count: NDArray[np.int64], bits: int | Tensor) -> None:
        lead, sources = place.replicas.shape, self._drawn(place, t, t + len(count)).sources
        pattern = _pattern(torch.from_numpy(sources))
        many = torch.from_numpy(count)[:, None, None]
        sent, got = many * pattern.sent(), many * pattern.received(1)
        own = bits if isinstance(bits, int) else bits.reshape(sent.shape)
        parts = sent * own, sent, many * pattern.received(own), got
        of_each = [part.sum(0).view(*lead, -1) for part in parts]
        place.network.charge_send(*of_each[:2])
        place.network.charge_receive(*of_each[2:])

    def charge_time(self, place: Place, watch: Clock, t: int, bits: int | Tensor) -> None:
        sources = self.law.draw(t, place.key, place.replicas).sources
        full = (*place.replicas.shape, *sources.shape[-2:])
        watch.exchange(bits, _pattern(sources.expand(full)).links())


def _pattern(sources: Tensor) -> ReceivePattern:
    return ReceivePattern(sources, torch.ones_like(sources, dtype=torch.bool))
