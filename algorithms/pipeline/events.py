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
from algorithms.kernels.row_parts import RowPart
from algorithms.network.clock import Clock
from algorithms.pipeline.base import Arrays, Place, StepBlock, Steps
from algorithms.pipeline.gradients import drawn_gradient, exact_gradient
from algorithms.pipeline.server import NoRowKernel, own
from algorithms.synchronisation.schedule import Schedule
from theory.stepsizes import Stepsize


class EventPlan(NamedTuple):
    """A schedule replica by replica ``[R, T, k]``.

    Attributes:
        arrivals: whose gradients a tick uses, n for nobody.
        versions: of which model each of these gradients is.
        fetches: who fetches the model after the tick.
        starts: who begins a gradient then.
    """

    arrivals: NDArray[np.int64]
    versions: NDArray[np.int64]
    fetches: NDArray[np.int64]
    starts: NDArray[np.int64]

    @staticmethod
    def from_schedule(schedule: Schedule) -> EventPlan:
        """The plan of a schedule; of one replica it is the schedule's own storage."""
        tables = (schedule.arrivals, schedule.versions, schedule.fetches, schedule.starts)
        return EventPlan(*(_by_replica(ids) for ids in tables))


def _by_replica(ids: Tensor) -> NDArray[np.int64]:
    return ids.reshape(len(ids), -1, ids.shape[-1]).transpose(0, 1).contiguous().numpy()


class EventBlock(StepBlock):
    """Ticks of the schedule that a state holds; the schedule tells the time, so no clock runs.

    Members give their tensors; a bill ``[R, 4, n]`` and the plan follow these among the arrays, in
    that order, and loops write down whom they charge (``kernels/event_steps.py``).
    """

    def __init__(
        self, place: Place, gradient: RowPart, step_rule: Stepsize, sends: dict[str, RowPart | None]
    ) -> None:
        super().__init__(place, gradient, step_rule)
        self.sends = sends
        self.known: tuple[Schedule, EventPlan] | None = None
        self.bill = np.empty(0, np.int64)

    @abstractmethod
    def tensors(self, state: Any) -> Arrays:
        """Copies of a state's tensors."""

    @final
    def enter(self, state: Any) -> Arrays:
        lead = self.place.replicas.numel()
        self.bill = np.zeros((lead, 4, self.n), np.int64)
        return (*self.tensors(state), self.bill, *self.plan(state.schedule))

    def plan(self, schedule: Schedule) -> EventPlan:
        """The plan of a state's schedule, made once."""
        if self.known is None or self.known[0] is not schedule:
            self.known = schedule, EventPlan.from_schedule(schedule)
        return self.known[1]

    def purposes(self) -> tuple[str, ...]:
        drawn = (name for name, part in self.sends.items() if part is not None and part.draws)
        return (*super().purposes(), *drawn)

    @property
    def work(self) -> int:
        widest = 1 if self.known is None else self.known[1].arrivals.shape[-1]
        return widest * max(self.gradient.work, self.d)

    @final
    def charge(self, steps: Steps) -> None:
        self.charge_bill(*self.billed())
        self.bill[:] = 0

    def charge_bill(self, up: Tensor, up_bits: Tensor, down: Tensor, down_bits: Tensor) -> None:
        """Charge the ledger for the rows of the bill: messages to the server and back."""
        self.network.charge_upload(up_bits, up)
        self.network.charge_receive(down_bits, down)

    def billed(self) -> tuple[Tensor, ...]:
        """The rows ``[..., n]`` of the bill."""
        return torch.from_numpy(self.bill).view(*self.place.replicas.shape, 4, self.n).unbind(-2)

    def charge_time(self, watch: Clock, steps: Steps, place: int) -> None:
        """The schedule's own time."""


def event_block(made: Callable[..., StepBlock], place: Place, *given: Any) -> StepBlock | None:
    """The block that ``made`` makes of the place, its problem's compiled gradient and ``given``;
    None where a part publishes no compiled function."""
    gradient = drawn_gradient(place)
    if gradient is None:
        return None
    try:
        return made(place, gradient, *given)
    except NoRowKernel:
        return None


def full_gradient(place: Place) -> RowPart:
    """The full gradient of the place's problem.

    Raises:
        NoRowKernel: it publishes none.
    """
    found = exact_gradient(place)
    if found is None:
        raise NoRowKernel
    return found


def entry_bits(d: int, dtype: torch.dtype) -> int:
    """Length of each number of a list in R^d of those that are not zero [bits]."""
    return int(NonZero().stated_bits(d, torch.finfo(dtype).bits)) // d


def unchanging(compressor: Compressor, d: int, dtype: torch.dtype) -> tuple[RowPart | None, int]:
    """The compiled function of an operator that is the same at all steps, and the length of its
    messages, -1 where they vary.

    Raises:
        NoRowKernel: it publishes none, or differs from step to step.
    """
    if not compressor.steady:
        raise NoRowKernel
    fixed = code_of(compressor, d, dtype).fixed_bits
    return own(compressor, Identity, d, dtype), -1 if fixed is None else fixed


def all_rows(x: Tensor) -> NDArray[Any]:
    """A copy of rows ``[..., k, d]`` as ``[R, k, d]``, also where there are none."""
    *_, k, d = x.shape
    return x.reshape(int(np.prod(x.shape[:-2])), k, d).contiguous().clone().numpy()
