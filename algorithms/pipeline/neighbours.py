"""Blocks of steps of workers along a graph, whose methods write them as operations on rows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.core.threads import Threads
from algorithms.kernels import neighbour_steps as ops
from algorithms.kernels.row_parts import RowPart, filled_in, numbers, ready
from algorithms.network.clock import Clock
from algorithms.pipeline.base import Arrays, Place, StepBlock, Steps
from algorithms.pipeline.links import LinkLists, Links, no_lists
from algorithms.pipeline.row_programs import Program, ProgramTable, Register
from algorithms.pipeline.server import NoRowKernel, Sent, sent_by

_WORTH_NUMBERS = 1 << 18
"""Numbers of a pass without gradients or messages from which a second thread pays."""


def _opened(state: Any) -> tuple[Tensor, ...]:
    return tuple(state)


def _closed(state: Any, parts: tuple[Tensor, ...]) -> Any:
    return type(state)(*parts)


@final
@dataclass(frozen=True)
class NeighbourPlan:
    """A method's steps as programs.

    Attributes:
        rows: registers of the state's tensors ``[..., m or 1, d]`` or ``[..., m, 1]``, in their
            order.
        programs: what steps there are.
        links: who hears whom.
        gradient: the compiled gradient, where a program takes any.
        compressor: what messages are made with.
        change: what a program changes rows by.
        program: which of the programs step t is.
        own: every worker's own weight at step t ``[n]``, where a program weighs by it.
        opened: the tensors of a state; ``closed``: the state that such tensors make.
        purpose: what the draws of a message are for.
        numbers_sent: how many numbers an uncompressed message has; None: d.
    """

    rows: tuple[Register, ...]
    programs: tuple[Program, ...]
    links: Links | None
    gradient: RowPart | None = None
    compressor: Compressor = field(default_factory=Identity)
    change: RowPart | None = None
    program: Callable[[int], int] = lambda _: 0
    own: Callable[[int], NDArray[np.float64]] | None = None
    opened: Callable[[Any], tuple[Tensor, ...]] = _opened
    closed: Callable[[Any, tuple[Tensor, ...]], Any] = _closed
    purpose: str = "compress"
    numbers_sent: int | None = None


def neighbour_block(place: Place, t: int, plan: NeighbourPlan) -> StepBlock | None:
    """The steps from t on of a plan; None where a part publishes no compiled function."""
    asked = (
        (ops.GRADIENT, plan.gradient), (ops.MIX, plan.links), (ops.CHANGE, plan.change),
        (ops.WEIGH, plan.own),
    )  # fmt: skip
    for kind, part in asked:
        if part is None and any(program.count(kind) for program in plan.programs):
            return None
    if plan.compressor.takes_guide:
        return None
    try:
        return NeighbourBlock(place, t, plan)
    except NoRowKernel:
        return None


@final
class NeighbourBlock(StepBlock):
    """The steps of a method along a graph, by its plan."""

    def __init__(self, place: Place, t: int, plan: NeighbourPlan) -> None:
        dtype = place.problem.dtype
        none = RowPart(ops.no_gradient, numbers(dtype), draws=False)
        super().__init__(place, plan.gradient or none, None)
        self.plan, self.code = plan, ProgramTable(plan.programs, plan.rows)
        self.message: Sent = sent_by(plan.compressor, self.d, dtype, t)
        self.until, self.bits_vary = self.message.until, self.message.bits is None
        self.dense: int = Identity().bits(self.d, dtype)
        self.bits = self.message.bits
        if plan.numbers_sent is not None:
            self.bits = Identity().bits(plan.numbers_sent, dtype)
        self.parts = (
            ready(self.gradient.function, "gradient", dtype), self.gradient.numbers,
            *filled_in(dtype, self.message.part, "operator")[:2],
            *filled_in(dtype, plan.change, "change")[:2], self.code.lines,
        )  # fmt: skip
        self.exchanges = np.array([p.count(ops.MIX) for p in plan.programs])
        self.averages = np.array([p.count(ops.MEAN) for p in plan.programs])

    def purposes(self) -> tuple[str, ...]:
        part = self.message.part
        return (
            *super().purposes(),
            *((self.plan.purpose,) if part is not None and part.draws else ()),
        )

    def enter(self, state: Any) -> Arrays:
        lead, code = int(np.prod(self.place.replicas.shape, dtype=np.int64)), self.code
        held = np.empty((lead, len(code.held), self.n, self.d), self.kind)
        weights = np.empty((lead, len(code.weights), self.n), self.kind)
        for row, part in zip(self.plan.rows, self.plan.opened(state), strict=True):
            flat = part.numpy().reshape(lead, *part.shape[-2:])
            if row.weight:
                weights[:, code.places[row]] = flat[..., 0]
            else:
                held[:, code.places[row]] = flat
        many = np.concatenate((np.arange(held.shape[1]), np.arange(weights.shape[1])))
        return held, weights, np.tile(many, (lead, 1))

    def leave(self, arrays: Arrays, state: Any) -> Any:
        held, weights, place = arrays
        parts = []
        for row, old in zip(self.plan.rows, self.plan.opened(state), strict=True):
            at = place[0, self.code.place(row)]
            new = weights[:, at, :, None] if row.weight else held[:, at]
            mine = np.ascontiguousarray(new[:, : old.shape[-2]])
            parts.append(torch.from_numpy(mine).view(old.shape))
        return self.plan.closed(state, tuple(parts))

    def _given(self, steps: Steps) -> tuple[Any, ...]:
        """Lists, own weights, numbers and words of the steps, what else the loop takes of them."""
        t, until, rule = steps.t, steps.t + steps.count, self.plan.own
        own = [np.zeros(self.n)] if rule is None else [rule(s) for s in range(t, until)]
        words = [self.words(steps, purpose) for purpose in ("gradient", self.plan.purpose)]
        return (
            np.array(own).astype(self.kind), self.code.table(t, until, self.kind),
            np.concatenate(words, 1), steps.replicas, steps.bits,
        )  # fmt: skip

    def _lists(self, steps: Steps) -> LinkLists:
        if self.plan.links is None:
            return no_lists(self.n, self.kind, steps.count)
        return self.plan.links.lists(self.place, steps.t, steps.t + steps.count, steps.replicas)

    def _programs(self, steps: Steps) -> NDArray[np.int64]:
        t, many = steps.t, steps.count
        if len(self.plan.programs) == 1:
            return np.zeros(many, np.int64)
        return np.array([self.plan.program(s) for s in range(t, t + many)], np.int64)

    def run(self, arrays: Arrays, steps: Steps) -> int:
        lists, loop, code = self._lists(steps), ops.NEIGHBOUR_LOOP.of(self.dtype), self.code
        found: int = loop(
            *self.parts, code.passes, code.swaps, *arrays, *lists[:3], *self._given(steps),
            self._programs(steps), lists.phases, steps.t, code.rooms, self.rows_together,
        )  # fmt: skip
        return found

    def run_shared(self, threads: Threads, arrays: Arrays, steps: Steps) -> int:
        lists, one, code = self._lists(steps), ops.NEIGHBOUR_PASS.of(self.dtype), self.code
        fixed = *arrays, *lists[:3], *self._given(steps)
        for i, at in enumerate(self._programs(steps)):
            here = i, steps.t + i, lists.phases[i], code.rooms, self.rows_together
            for start, stop in code.passes[at]:
                who = self._sharing(threads, start, stop)
                if not all(who.each(self.n, one, *self.parts, start, stop, *fixed, *here)):
                    return i
            ops.exchange_places(arrays[2], code.swaps[at])
        return steps.count

    def _sharing(self, threads: Threads, start: int, stop: int) -> Threads:
        """Who makes a pass: this thread alone, where it is not worth the handing over."""
        heavy = np.isin(self.code.lines[start:stop, 0], (ops.GRADIENT, ops.SEND)).any()
        light = (stop - start) * self.n * self.d < _WORTH_NUMBERS
        return Threads(1) if light and not heavy else threads

    def charge(self, steps: Steps) -> None:
        programs, plan = self._programs(steps), self.plan
        exchanges, averages = self.exchanges[programs], int(self.averages[programs].sum())
        if plan.links is not None and exchanges.any():
            lead = self.place.replicas.shape
            told = torch.from_numpy(steps.bits).view(-1, *lead, self.n)
            bits = told if self.bits is None else self.bits
            plan.links.charge(self.place, steps.t, exchanges, bits)
        if averages:
            self.network.charge_upload(averages * self.dense, averages)
            self.network.charge_receive(averages * self.dense, averages)

    def charge_time(self, watch: Clock, steps: Steps, place: int) -> None:
        lead, t = self.place.replicas.shape, steps.t + place
        told = torch.from_numpy(steps.bits[place % len(steps.bits)]).view(*lead, self.n)
        for one in self.plan.programs[self.plan.program(t)].operations:
            if one.kind in (ops.GRADIENT, ops.CHECK):
                watch.work()
            elif one.kind == ops.MIX and self.plan.links is not None:
                bits = told if self.bits is None else self.bits
                self.plan.links.charge_time(self.place, watch, t, bits)
            elif one.kind == ops.MEAN:
                watch.up(self.dense, 1)
                watch.down(self.dense)
