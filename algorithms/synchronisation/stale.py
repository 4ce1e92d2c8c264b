"""Stale synchronous parallel: a worker may run ahead of the slowest, but not too far."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import final

import numpy as np
import torch

from algorithms.kernels import barrier_ticks
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.worker_states import Counts, Decision, Mask, WorkerStates
from theory.arrays import Floats
from theory.constants import Constants, Kind, Statement


class Stale(Barrier):
    """A worker at clock c starts only when the slowest has reached c - s; members are frozen
    dataclasses with ``s``. They differ in who is given the server's model.

    A tick takes all arrivals up to the next start.

    Raises:
        ValueError: s < 0.
    """

    s: int

    def __post_init__(self) -> None:
        if self.s < 0:
            raise ValueError(f"s must be at least 0 clocks, got s={self.s}")

    @abstractmethod
    def fetches(self, now: WorkerStates, clock: Counts, started: Mask) -> Mask:
        """Workers that fetch when clocks ``[R, n]`` are as given and ``started`` start."""

    def constants(self, c: Constants, times: ComputeTimes) -> Constants:
        why = "nobody starts further ahead"
        return c.state(Statement(Kind.EXACT, "every schedule", why), lead=self.s)

    def decide(self, now: WorkerStates) -> Decision:
        moment, arrived, started = _until_a_start(now, self.s)
        fetched = self.fetches(now, now.clock + arrived, started)
        return Decision(moment, arrived, fetched, started)


@final
@dataclass(frozen=True)
class SSP(Stale):
    """Stale synchronous parallel: models are fetched only when those held are too old.

    A worker computes on the model it holds, with its own updates on top, as long as that was
    fetched when the slowest clock was c - s or later. With s = 0 it is BSP. (Ho et al. 2013, NIPS,
    SSPTable, Section 4.)

    Raises:
        ValueError: s < 0.
    """

    s: int

    @property
    def name(self) -> str:
        return f"SSP(s={self.s})"

    def fetches(self, now: WorkerStates, clock: Counts, started: Mask) -> Mask:
        return started & (now.stamp < clock - self.s)

    def row_kernel(self) -> RowPart:
        return RowPart(barrier_ticks.stale, numbers(torch.float64, ints=(self.s,)), draws=False)


@final
@dataclass(frozen=True)
class EagerSSP(Stale):
    """SSP whose server sends its model to all workers whenever the slowest clock has advanced.

    So every gradient is taken at a model that holds all the slowest clock let through, as fresh in
    clocks as can be, where SSP's may be s clocks older. In server updates it need not be fresher: a
    fetch of SSP brings all up to that moment, and workers at the limit of their lead fetch at every
    start, while what is sent at an advance of the slowest clock ages until the next. (Wei et al.
    2015, SoCC, managed communication; Dai et al. 2015, AAAI, arXiv:1410.8043.)

    Attributes:
        s: the bound on staleness, in clocks of a worker.

    Raises:
        ValueError: s < 0.
    """

    s: int

    @property
    def name(self) -> str:
        return f"eager SSP(s={self.s})"

    def fetches(self, now: WorkerStates, clock: Counts, started: Mask) -> Mask:
        advanced = clock.min(axis=1, keepdims=True) > now.clock.min(axis=1, keepdims=True)
        return np.broadcast_to(advanced, clock.shape)

    def row_kernel(self) -> RowPart:
        return RowPart(barrier_ticks.eager, numbers(torch.float64, ints=(self.s,)), draws=False)


def _until_a_start(now: WorkerStates, s: int) -> tuple[Floats, Mask, Mask]:
    """Arrivals one after another until some worker may start; when, who arrived, who starts."""
    finish, moment = now.finish.copy(), now.now.copy()
    arrived, started = now.nobody(), now.nobody()
    rows = np.arange(now.replicas)
    while not (done := started.any(axis=1) | ~np.isfinite(moment)).all():
        subset = finish.argmin(axis=1)
        moment = np.where(done, moment, np.maximum(moment, finish[rows, subset]))
        going = np.logical_not(done) & np.isfinite(moment)
        new = now.nobody()
        new[rows, subset] = going
        arrived |= new
        finish[new] = np.inf
        clock = now.clock + arrived
        waiting = (now.idle | arrived) & going[:, None]
        started |= waiting & (clock - clock.min(axis=1, keepdims=True) <= s)
    return moment, arrived, started
