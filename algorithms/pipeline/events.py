"""Blocks of ticks of a schedule: who arrives when is known before the first of them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable
from typing import Any, NamedTuple, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.compressors.base import Compressor, code_of
from algorithms.compressors.identity import Identity
from algorithms.compressors.nonzero import NonZero
from algorithms.kernels.row_parts import Part, published
from algorithms.network.clock import Clock
from algorithms.pipeline.base import Arrays, Block, Place, Steps
from algorithms.pipeline.server import Missing, own
from algorithms.problems.base import Problem
from algorithms.synchronisation.schedule import Schedule
from theory.stepsizes import Stepsize


class Plan(NamedTuple):
    """A schedule replica by replica ``[R, T, k]``.

    Attributes:
        arrivals: whose gradients a tick uses, n for nobody.
    """

    arrivals: NDArray[np.int64]
    versions: NDArray[np.int64]
    fetches: NDArray[np.int64]
    starts: NDArray[np.int64]

    @staticmethod
    def of(schedule: Schedule) -> Plan:
        """The plan of a schedule; of one replica it is the schedule's own storage."""
        tables = (schedule.arrivals, schedule.versions, schedule.fetches, schedule.starts)
        return Plan(*(_by_replica(ids) for ids in tables))


def _by_replica(ids: Tensor) -> NDArray[np.int64]:
    return ids.reshape(len(ids), -1, ids.shape[-1]).transpose(0, 1).contiguous().numpy()


class EventBlock(Block):
    """Ticks of the schedule that a state holds; the schedule tells the time, so no clock runs.

    Members give their tensors; a bill ``[R, 4, n]`` and the plan follow these among the arrays, in
    that order, and loops write down whom they charge (``kernels/event_steps.py``).
    """

    def __init__(
        self, place: Place, gradient: Part, step_rule: Stepsize, sends: dict[str, Part | None]
    ) -> None:
        super().__init__(place, gradient, step_rule)
        self.sends = sends
        self.known: tuple[Schedule, Plan] | None = None
        self.bill = np.empty(0, np.int64)

    @abstractmethod
    def tensors(self, state: Any) -> Arrays:
        """Copies of a state's tensors."""

    @final
    def enter(self, state: Any) -> Arrays:
        lead = self.place.replicas.numel()
        self.bill = np.zeros((lead, 4, self.n), np.int64)
        return (*self.tensors(state), self.bill, *self.plan(state.schedule))

    def plan(self, schedule: Schedule) -> Plan:
        """The plan of a state's schedule, made once."""
        if self.known is None or self.known[0] is not schedule:
            self.known = schedule, Plan.of(schedule)
        return self.known[1]

    def purposes(self) -> tuple[str, ...]:
        drawn = (name for name, part in self.sends.items() if part is not None and part.draws)
        return (*super().purposes(), *drawn)

    @property
    def work(self) -> int:
        widest = 1 if self.known is None else self.known[1].arrivals.shape[-1]
        return widest * max(self.gradient.work, self.d)

    def charge(self, steps: Steps) -> None:
        ledger = self.network.ledger
        up, up_bits, down, down_bits = self.billed()
        ledger.upload(up_bits, up)
        ledger.receive(down_bits, down)

    def billed(self) -> tuple[Tensor, ...]:
        """The rows ``[..., n]`` of the bill."""
        return torch.from_numpy(self.bill).view(*self.place.replicas.shape, 4, self.n).unbind(-2)

    def charge_time(self, watch: Clock, steps: Steps, place: int) -> None:
        """The schedule's own time."""


def event_block(made: Callable[..., Block], place: Place, *given: Any) -> Block | None:
    """The block that ``made`` makes of the place, its problem's compiled gradient and ``given``;
    None where a part publishes no compiled function."""
    gradient = published(place.problem)
    if gradient is None:
        return None
    try:
        return made(place, gradient, *given)
    except Missing:
        return None


def full_gradient(problem: Problem) -> Part:
    """The compiled full gradient of a problem.

    Raises:
        Missing: it publishes none.
    """
    found = problem.full_row_kernel() if "full_row_kernel" in type(problem).__dict__ else None
    if found is None:
        raise Missing
    return found


def entry_bits(d: int, dtype: torch.dtype) -> int:
    """Length of each number of a list in R^d of those that are not zero [bits]."""
    return int(NonZero().stated_bits(d, torch.finfo(dtype).bits)) // d


def unchanging(compressor: Compressor, d: int, dtype: torch.dtype) -> tuple[Part | None, int]:
    """The compiled function of an operator that is the same at all steps, and the length of its
    messages, -1 where they vary.

    Raises:
        Missing: it publishes none, or differs from step to step.
    """
    if not compressor.steady:
        raise Missing
    fixed = code_of(compressor, d, dtype).fixed_bits
    return own(compressor, Identity, d, dtype), -1 if fixed is None else fixed


def all_rows(x: Tensor) -> NDArray[Any]:
    """A copy of rows ``[..., k, d]`` as ``[R, k, d]``, also where there are none."""
    *_, k, d = x.shape
    return x.reshape(int(np.prod(x.shape[:-2])), k, d).contiguous().clone().numpy()
