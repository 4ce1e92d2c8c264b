"""Blocks of steps along a graph, or with a server, that methods write as operations on rows."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, final

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.compressors.identity import Identity
from algorithms.core.threads import Threads
from algorithms.kernels import neighbour_steps as loops
from algorithms.kernels import row_operations as ops
from algorithms.kernels.row_parts import RowPart, filled_in, numbers, ready
from algorithms.network.clock import Clock
from algorithms.pipeline.base import Arrays, Place, StepBlock, Steps
from algorithms.pipeline.links import LinkLists, no_lists, side_by_side
from algorithms.pipeline.neighbour_plan import NeighbourPlan as NeighbourPlan
from algorithms.pipeline.neighbour_plan import PlanMessage as PlanMessage
from algorithms.pipeline.program_table import ProgramTable
from algorithms.pipeline.row_programs import Crossing, Program
from algorithms.pipeline.server import NoRowKernel, sent_by

_WORTH_NUMBERS = 1 << 18
"""Numbers of a pass without gradients or messages from which a second thread pays."""


def neighbour_block(place: Place, t: int, plan: NeighbourPlan) -> StepBlock | None:
    """The steps from t on of a plan; None where a part publishes no compiled function."""
    if plan.lacks() or any(one.compressor.at_step(t).takes_guide for one in plan.messages):
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
        none = RowPart(loops.no_gradient, numbers(dtype), draws=False)
        super().__init__(place, plan.gradient or none, None)
        self.sources = self.gradient, plan.second or none
        self.plan = plan
        self.sent = [sent_by(one.compressor, self.d, dtype, t) for one in plan.messages]
        operators = _two([one.part for one in self.sent])
        places = tuple(_place(one.part, operators) for one in self.sent)
        self.code = ProgramTable(plan.programs, plan.rows, places)
        self.operator_calls = max(one.calls if one else 0 for one in operators)
        self.until = min((one.until for one in self.sent if one.until is not None), default=None)
        self.bits_vary = any(one.bits is None for one in self.sent)
        self.dense: int = Identity().bits(self.d, dtype)
        self.bits = [one.bits for one in self.sent]
        if plan.numbers_sent is not None:
            self.bits[0] = Identity().bits(plan.numbers_sent, dtype)
        parts: list[Any] = []
        for source in self.sources:
            parts += [ready(source.function, "gradient", dtype), source.numbers]
        for operator in operators:
            parts += filled_in(dtype, operator, "operator")[:2]
        self.parts = (*parts, *filled_in(dtype, plan.change, "change")[:2], self.code.lines)

    @property
    def _drawn(self) -> list[tuple[str, bool]]:
        """Purposes in the order of the loop's words, and whether something is drawn for each."""
        first, second = (source.draws for source in self.sources)
        asked = [("gradient", first), (self.plan.second_purpose, second)]
        for one, by in zip(self.plan.messages, self.sent, strict=True):
            asked.append((one.purpose, by.part is not None and by.part.draws))
        return asked

    def purposes(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(purpose for purpose, draws in self._drawn if draws))

    def steps(self, t: int, until: int, replicas: NDArray[np.int64]) -> Steps:
        found = super().steps(t, until, replicas)
        many, lead, n = found.bits.shape
        return replace(found, bits=np.zeros((many, lead, n * len(self.sent)), np.int64))

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
        """Tensors are allocated by torch: the bits of a matrix product hang on where rows begin,
        and numpy's begin elsewhere than those of a method's own step."""
        held, weights, place = arrays
        parts = []
        for row, old in zip(self.plan.rows, self.plan.opened(state), strict=True):
            at = place[0, self.code.place(row)]
            new = weights[:, at, :, None] if row.weight else held[:, at]
            mine = torch.from_numpy(new[:, : old.shape[-2]])
            parts.append(mine.clone(memory_format=torch.contiguous_format).view(old.shape))
        return self.plan.closed(state, tuple(parts))

    def _given(self, steps: Steps) -> tuple[Any, ...]:
        """Lists, own weights, numbers and words of the steps, what else the loop takes of them."""
        t, until, rule = steps.t, steps.t + steps.count, self.plan.own
        own = [np.zeros(self.n)] if rule is None else [rule(s) for s in range(t, until)]
        words = [self.words(steps, purpose) for purpose, _ in self._drawn]
        return (
            np.array(own).astype(self.kind), self._masks(steps),
            self.code.table(t, until, self.kind), np.concatenate(words, 1), steps.replicas,
            steps.bits,
        )  # fmt: skip

    def _masks(self, steps: Steps) -> NDArray[np.bool_]:
        """Masks ``[T, K R, n]`` of the steps."""
        times = range(steps.t, steps.t + steps.count)
        masks = [mask(self.place, times, steps.replicas) for mask in self.plan.masks]
        if not masks:
            return np.zeros((1, 1, self.n), np.bool_)
        return np.ascontiguousarray(np.concatenate(masks, 1))

    def _lists(self, steps: Steps) -> LinkLists:
        until = steps.t + steps.count
        lists = [
            one.lists(self.place, steps.t, until, steps.replicas) for one in self.plan.all_links
        ]
        if not lists:
            return no_lists(self.n, self.kind, steps.count)
        return lists[0] if len(lists) == 1 else side_by_side(lists)

    def _programs(self, steps: Steps) -> NDArray[np.int64]:
        t, many = steps.t, steps.count
        if len(self.plan.programs) == 1:
            return np.zeros(many, np.int64)
        return np.array([self.plan.program(s) for s in range(t, t + many)], np.int64)

    def prepare(self, steps: Steps) -> None:
        self._lists(steps)

    def run(self, arrays: Arrays, steps: Steps) -> int:
        lists, code = self._lists(steps), self.code
        loop = loops.NEIGHBOUR_LOOP.for_dtype(self.dtype)
        found: int = loop(
            *self.parts, code.passes, code.swaps, *arrays, code.lone, *lists[:3],
            *self._given(steps), self._programs(steps), lists.phases, steps.t, code.rooms,
            self.rows_together,
        )  # fmt: skip
        return found

    def run_shared(self, threads: Threads, arrays: Arrays, steps: Steps) -> int:
        lists, code = self._lists(steps), self.code
        one = loops.NEIGHBOUR_PASS.for_dtype(self.dtype)
        fixed = *arrays, code.lone, *lists[:3], *self._given(steps)
        for i, at in enumerate(self._programs(steps)):
            here = i, steps.t + i, lists.phases[i], code.rooms, self.rows_together
            for start, stop in code.passes[at]:
                subset = self._sharing(threads, start, stop)
                if not all(subset.each(self.n, one, *self.parts, start, stop, *fixed, *here)):
                    return i
            loops.exchange_places(arrays[2], code.swaps[at])
        return steps.count

    def _sharing(self, threads: Threads, start: int, stop: int) -> Threads:
        """Threads that make a pass: this thread alone, where sharing the work does not pay."""
        heavy = np.isin(self.code.lines[start:stop, 0], (ops.GRADIENT, ops.SEND)).any()
        light = (stop - start) * self.n * self.d < _WORTH_NUMBERS
        return Threads(1) if light and not heavy else threads

    def charge(self, steps: Steps) -> None:
        programs = self._programs(steps)
        for number in range(len(self.sent)):
            for place, links in enumerate(self.plan.all_links):
                exchanges = np.array([_mixes(one, number, place) for one in self.plan.programs])
                if exchanges[programs].any():
                    told = self._told(steps, number)
                    links.charge(self.place, steps.t, exchanges[programs], told)
        for number, program in enumerate(self.plan.programs):
            there = np.flatnonzero(programs == number)
            for one in (each for line in program.operations for each in line.crossings):
                if len(there):
                    charge = self.network.charge_upload if one.up else self.network.charge_receive
                    charge(*self._crossed(one, steps, there))

    def _told(self, steps: Steps, number: int) -> Any:
        """Lengths of a message [bits], one number or ``[T, ..., n]``."""
        own, many = self.bits[number], len(self.sent)
        lengths = steps.bits.reshape(len(steps.bits), -1, many, self.n)[:, :, number]
        shaped = torch.from_numpy(np.ascontiguousarray(lengths))
        return shaped.view(-1, *self.place.replicas.shape, self.n) if own is None else own

    def _crossed(self, one: Crossing, steps: Steps, there: NDArray[np.int64]) -> tuple[Any, Any]:
        """Bits and messages of a crossing at the steps in places ``there``, added up: numbers, or
        of each who sends or hears ``[..., n or 1]``."""
        count = len(there)
        lengths: Any = self.dense if one.message is None else self._told(steps, one.message)
        if isinstance(lengths, torch.Tensor):
            own = lengths[torch.from_numpy(there)]
            lengths = own if one.up else own[..., :1]
            if one.mask is None:
                return lengths.sum(0), count
        elif one.mask is None:
            return count * lengths, count
        times = range(steps.t + int(there[0]), steps.t + int(there[-1]) + 1)
        mask = self.plan.masks[one.mask](self.place, times, self.place.replicas.reshape(-1).numpy())
        shape = count, *self.place.replicas.shape, self.n
        there_too = torch.from_numpy(mask[there - there[0]].astype(np.int64)).view(shape)
        return (there_too * lengths).sum(0), there_too.sum(0)

    def charge_time(self, watch: Clock, steps: Steps, place: int) -> None:
        t, links = steps.t + place, self.plan.all_links
        for one in self.plan.programs[self.plan.program(t)].operations:
            if one.kind in (ops.GRADIENT, ops.CHECK):
                watch.work()
            elif one.kind in ops.EXCHANGES and one.which >= 0:
                told = self._told(steps, one.which)
                varied = isinstance(told, torch.Tensor)
                its = told[place] if varied else told
                links[one.link].charge_time(self.place, watch, t, its)
            for crossing in one.crossings:
                charge = watch.up if crossing.up else watch.down
                charge(*self._crossed(crossing, steps, np.array([place])))


def _mixes(program: Program, number: int, link: int) -> int:
    """How many exchanges of a message over some of the links a program has."""
    exchanges = (one for one in program.operations if one.kind in ops.EXCHANGES)
    return sum((one.which, one.link) == (number, link) for one in exchanges)


def _two(parts: list[RowPart | None]) -> tuple[RowPart | None, RowPart | None]:
    """The operators that make the messages: two at most.

    Raises:
        NoRowKernel: they are more.
    """
    found: list[RowPart | None] = []
    for part in parts:
        if not any(_alike(part, other) for other in found):
            found.append(part)
    if len(found) > 2:
        raise NoRowKernel
    return found[0], found[-1]


def _place(part: RowPart | None, operators: tuple[RowPart | None, RowPart | None]) -> int:
    return 0 if _alike(part, operators[0]) else 1


def _alike(one: RowPart | None, other: RowPart | None) -> bool:
    if one is None or other is None:
        return one is other
    pairs = zip(one.numbers, other.numbers, strict=True)
    return one.function is other.function and all(np.array_equal(a, b) for a, b in pairs)
