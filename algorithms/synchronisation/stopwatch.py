"""Stopwatch: modelled seconds of a synchronous run, charged beside the bits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import NamedTuple, Protocol, Self, final, runtime_checkable

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.network.clock import Clock
from algorithms.synchronisation.base import ComputeTimes
from algorithms.synchronisation.compute_times import ShiftedExponential
from algorithms.synchronisation.conditions import Linked
from algorithms.synchronisation.worker_states import WorkerLost
from theory.seconds.costs import ETHERNET_1G, AlphaBeta


class RoundTimes(Protocol):
    """Costs of sums and exchanges; a :class:`~algorithms.clusters.steps.ModelOnCluster` is one.

    A protocol, so that a run without a cluster does not depend on collectives and schedules.
    """

    @property
    def name(self) -> str:
        """Name on axes and in reports."""
        ...

    def round_seconds(self, bits: float) -> float:
        """Seconds of a sum over all workers, of so many bits from each."""
        ...

    def exchange_seconds(self, bits: float, degree: int, merged: bool = False) -> float:
        """Seconds of an exchange of so many bits with each of ``degree`` neighbours; ``merged``: of
        lists that were merged from others."""
        ...


_BLOCK = 64  # gradients whose times are drawn together


@final
@dataclass(frozen=True)
class Timing:
    """A model of time: how long gradients take, and every worker's own link.

    The links are full duplex and share nothing: a message of m bits takes alpha + beta m, whatever
    the others send.

    Attributes:
        times: how long gradients take [seconds].
        link: latency and inverse bandwidth of a worker's link.
        rounds: what sums and exchanges take on a cluster, in place of the link: a schedule over
            collectives on a fabric. The answer of a sum is part of it.
    """

    times: ComputeTimes = field(default_factory=lambda: ShiftedExponential(5e-4, 5e-4))
    link: AlphaBeta = ETHERNET_1G
    rounds: RoundTimes | None = None

    @property
    def name(self) -> str:
        """Name of the model of time, on axes and in reports."""
        if self.rounds is not None:
            return self.rounds.name
        speed = f"{1e-9 / self.link.beta:g} Gbit/s" if self.link.beta else "no bandwidth limit"
        return f"{self.times.name} a gradient, links of {speed}"

    def round_trip(self, up_bits: float, down_bits: float) -> Linked:
        """Times of a gradient with its push and fetch, for schedules."""
        return Linked(self.times, self.link.seconds(up_bits, 1), self.link.seconds(down_bits, 1))


STANDARD = Timing()
"""The time model of the survey: a gradient takes 0.5 ms and an exponential rest of mean 0.5 ms."""


@runtime_checkable
class ClockDependent(Protocol):
    """A method that keeps a clock of its own because its rule asks what the hour is.

    Attributes:
        timing: how long gradients and messages take.
    """

    @property
    def timing(self) -> Timing:
        """Durations of gradients and messages."""
        ...

    def timed_by(self, timing: Timing, slower: float) -> Self:
        """The same by another model of time, in which a gradient takes ``slower`` times as long."""
        ...


class _Links(NamedTuple):
    """Who hears whom ``incoming`` ``[..., n, n]``, as truth, and how many hear each worker."""

    incoming: Tensor
    subset: Tensor
    degree: Tensor


@final
class Stopwatch(Clock):
    """The hour of every worker, ``clocks`` ``[..., n]`` [s], in every replica.

    A gradient moves a worker's own clock; a message to the server makes it wait for all, and the
    answer takes its time too; an exchange waits for the neighbours. ``speeds`` ``[n, n]`` are those
    of the links between workers as multiples of the timing's; None: all are alike. ``worked``
    ``[..., n]`` counts the gradients that each worker computed.
    """

    def __init__(
        self, timing: Timing, n: int, key: Key, replicas: Tensor, speeds: Tensor | None = None
    ) -> None:
        self.timing, self.n, self.key = timing, n, key.fold("stopwatch")
        self._merged = self._paused = False
        self.speeds = speeds
        self.replicas = replicas.cpu()
        self.clocks = torch.zeros((*replicas.shape, n), dtype=torch.float64)
        self.gradients = 0
        self.worked = torch.zeros((*replicas.shape, n), dtype=torch.int64)
        self._mark = self.clocks
        self._drawn = torch.zeros(0)
        self._last: _Links | None = None

    @property
    def seconds(self) -> Tensor:
        """Time when the last worker is done ``[...]``."""
        return self.clocks.amax(-1)

    def work(self, gradients: int = 1, subset: Tensor | None = None) -> None:
        """Workers ``subset`` ``[..., n]`` (bool; None: all) compute so many gradients in turn."""
        if self._paused:
            return
        self.worked = self.worked + (gradients if subset is None else gradients * subset.long())
        while gradients > 0:
            place = self.gradients % _BLOCK
            if place == 0:
                draws = self.key.fold(self.gradients).draws(self.replicas, torch.arange(self.n))
                self._drawn = self.timing.times.seconds(draws, _BLOCK, self.gradients)
            now = min(gradients, _BLOCK - place)
            one = self._drawn[..., place]
            took = one if now == 1 else self._drawn[..., place : place + now].sum(-1)
            self.clocks = self.clocks + (took if subset is None else torch.where(subset, took, 0.0))
            self.gradients += now
            gradients -= now

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Gradients computed within take no time."""
        self._paused = True
        try:
            yield
        finally:
            self._paused = False

    def up(self, bits: int | Tensor, messages: int | Tensor, subset: Tensor | None = None) -> None:
        """Workers send; ``subset`` ``[..., n]`` (bool; None: all) go on when the last message came.
        In a replica in which nobody sends nobody waits.

        Raises:
            WorkerLost: a worker's message never comes.
        """
        there = self.clocks + self._summed(bits, messages)
        waited = there if subset is None else torch.where(subset, there, -torch.inf)
        latest = waited.amax(-1, keepdim=True)
        if not latest.amax().item() < math.inf:
            replica = int((~(latest < math.inf)).reshape(-1).nonzero()[0])
            gone = (waited.reshape(-1, self.n)[replica] == math.inf).nonzero()[:, 0].tolist()
            raise WorkerLost("BSP", self.gradients - 1, replica, tuple(gone))
        self.clocks = (
            latest.expand_as(there) if subset is None else torch.where(subset, latest, there)
        )

    def down(self, bits: int | Tensor, messages: int | Tensor = 1) -> None:
        """The server's message reaches every worker."""
        if self.timing.rounds is None:
            self.clocks = self.clocks + self._cost(bits, messages)

    @contextmanager
    def merging(self) -> Iterator[None]:
        """Exchanges within are of lists that were merged from others."""
        self._merged = True
        try:
            yield
        finally:
            self._merged = False

    @contextmanager
    def overlapped(self) -> Iterator[None]:
        """Messages within were sent when the last such block ended (at first: at the start);
        workers go on from whichever is later, what they computed since or what arrives."""
        now, self.clocks = self.clocks, self._mark
        yield
        self.clocks = self._mark = torch.maximum(now, self.clocks)

    def exchange(self, bits: int | Tensor, incoming: Tensor) -> None:
        """Neighbours' messages, one after another on a worker's link; ``incoming`` ``[..., n, n]``
        is 1 where the row's worker hears the column's, ``bits`` a number or ``[..., n]``.

        Raises:
            WorkerLost: a neighbour's message never comes.
        """
        there = self.clocks + self._sent(bits, incoming)
        arrived = torch.where(self._links(incoming).subset, there[..., None, :], -torch.inf)
        latest = torch.maximum(there, arrived.amax(-1))
        if not _all_finite(latest):
            replica = int((~torch.isfinite(latest)).any(-1).reshape(-1).nonzero()[0])
            gone = there.reshape(-1, self.n)[replica].isinf().nonzero()[:, 0].tolist()
            raise WorkerLost("gossip", self.gradients - 1, replica, tuple(gone))
        self.clocks = latest

    def _sent(self, bits: int | Tensor, incoming: Tensor) -> Tensor:
        """Seconds in which each worker's messages to all who hear it are sent."""
        if self.timing.rounds is not None:
            return self._exchanged(self.timing.rounds, bits, incoming.sum(-2))
        if self.speeds is None:
            return self._cost(bits, 1) * self._links(incoming).degree
        link = self.timing.link
        size = torch.as_tensor(bits, dtype=torch.float64).cpu()
        size = size[..., None, :] if size.dim() else size
        times = link.alpha + link.beta * size / self.speeds
        return torch.where(incoming.bool(), times, 0.0).sum(-2)

    def _links(self, incoming: Tensor) -> _Links:
        """What exchanges read of ``incoming``: that of a fixed graph is one tensor at every
        step."""
        if self._last is None or self._last.incoming is not incoming:
            self._last = _Links(incoming, incoming.bool(), incoming.sum(-2).double())
        return self._last

    def _summed(self, bits: int | Tensor, messages: int | Tensor) -> Tensor | float:
        """Seconds of each worker's message to the server."""
        rounds = self.timing.rounds
        if rounds is None:
            return self._cost(bits, messages)
        size = torch.as_tensor(bits, dtype=torch.float64).cpu()
        sends = torch.as_tensor(messages).cpu() > 0
        return _each(rounds.round_seconds, torch.where(sends, size, 0.0))

    def _exchanged(self, rounds: RoundTimes, bits: int | Tensor, degree: Tensor) -> Tensor:
        """Seconds of each worker's messages to so many neighbours, on a cluster."""
        size = torch.as_tensor(bits, dtype=torch.float64).cpu().expand_as(degree)
        seconds = torch.zeros_like(size)
        for count in range(1, int(degree.max()) + 1):
            mine = degree == count
            ask = partial(rounds.exchange_seconds, degree=count, merged=self._merged)
            seconds[mine] = _each(ask, size[mine])
        return seconds

    def _cost(self, bits: int | Tensor, messages: int | Tensor) -> Tensor | float:
        """Seconds of each worker's message; nothing where it sends none."""
        if isinstance(bits, int) and isinstance(messages, int):
            return self.timing.link.alpha * messages + self.timing.link.beta * bits
        size = torch.as_tensor(bits, dtype=torch.float64).cpu()
        count = torch.as_tensor(messages, dtype=torch.float64).cpu()
        return self.timing.link.alpha * count + self.timing.link.beta * size


def _all_finite(hours: Tensor) -> bool:
    """Whether no hour is infinite or unknown."""
    return math.isfinite(hours.amax().item()) and math.isfinite(hours.amin().item())


def _each(seconds: Callable[[float], float], values: Tensor) -> Tensor:
    """A function of every value, asked once of each that differs."""
    found, place = np.unique(values.numpy(), return_inverse=True)
    known = np.array([seconds(float(value)) for value in found], dtype=np.float64)
    return torch.as_tensor(known[place]).reshape(values.shape)
