"""Blocks of local steps with meetings: what local SGD is made of, part by part."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, NamedTuple, final

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.core.threads import Threads
from algorithms.kernels import local_steps
from algorithms.kernels.row_parts import RowPart, filled_in, memory_filled_in, ready
from algorithms.memories.base import Memory, NoMemory
from algorithms.network.clock import Clock
from algorithms.optimizers.base import SGD, Optimizer
from algorithms.optimizers.outer import Outer, PlainAverage
from algorithms.pipeline.base import Arrays, Place, StepBlock, Steps, rows_of, stacked, unstacked
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.server import NoRowKernel, own, sent_by
from algorithms.synchronisation.periods import Periods
from theory.stepsizes import Stepsize

_ROW_BYTES = 1 << 12  # of workers that take their steps together: long rows one by one


class LocalParts(NamedTuple):
    """Parts of local steps with meetings; ``averaged``: velocities are, at meetings.

    Attributes:
        step_rule: stepsizes of the local steps [x^2 / f].
        periods: when workers meet.
        optimizer: what makes a step a move.
        compressor: the operator for what changed since the last meeting.
        memory: what a worker remembers of what it did not send.
        outer: what the server makes of the mean.
    """

    step_rule: Stepsize
    periods: Periods
    optimizer: Optimizer[Any]
    averaged: bool
    compressor: Compressor
    memory: Memory[Any]
    outer: Outer[Any]


def local_block(place: Place, t: int, parts: LocalParts) -> StepBlock | None:
    """The steps from t on of workers that meet now and then; None where a part publishes no
    compiled function."""
    gradient = drawn_gradient(place)
    if gradient is None or not parts.memory.steady:
        return None
    try:
        return LocalBlock(place, t, gradient, parts)
    except NoRowKernel:
        return None


@final
class LocalBlock(StepBlock):
    """Local SGD's steps, for any parts; the state is a
    :class:`~algorithms.methods.local_updates.local_sgd.LocalSGDState`."""

    def __init__(self, place: Place, t: int, gradient: RowPart, parts: LocalParts) -> None:
        super().__init__(place, gradient, parts.step_rule)
        dtype, self.parts = self.dtype, parts
        self.sent = sent_by(parts.compressor, self.d, dtype, t)
        self.until, self.bits_vary = self.sent.until, self.sent.bits is None
        self.dense = Identity().bits(self.d, dtype)
        move = own(parts.optimizer, SGD, self.d, dtype)
        memory = own(parts.memory, NoMemory, dtype)
        outer = own(parts.outer, PlainAverage, self.d, dtype)
        self.increments = self.sent.part is not None or memory is not None
        self.flags = np.array([
            move is not None, self.sent.part is not None, memory is not None, self.increments,
            outer is not None, parts.averaged, self.bits_vary,
        ])  # fmt: skip
        self.alone = (
            ready(gradient.function, "gradient", dtype), gradient.numbers,
            *filled_in(dtype, move, "move")[:2],
        )  # fmt: skip
        self.at_meetings = (
            *memory_filled_in(dtype, memory), *filled_in(dtype, self.sent.part, "operator")[:2],
            *filled_in(dtype, outer, "move")[:2],
        )  # fmt: skip
        self.together = self.rows_in(_ROW_BYTES)

    def purposes(self) -> tuple[str, ...]:
        draws = self.sent.part is not None and self.sent.part.draws
        return (*super().purposes(), "compress") if draws else super().purposes()

    def enter(self, state: Any) -> Arrays:
        lead, sizes = tuple(state.x.shape[:-2]), (self.d, self.kind)
        return (
            rows_of(state.x),
            stacked(state.velocity, lead, self.n, *sizes),
            stacked(state.memory, lead, self.n, *sizes),
            rows_of(state.anchor),
            stacked(state.block, lead, 1, *sizes),
        )

    def leave(self, arrays: Arrays, state: Any) -> Any:
        x, velocity, memory, anchor, block = arrays
        return type(state)(
            torch.from_numpy(x).view(state.x.shape),
            unstacked(velocity, state.velocity),
            torch.from_numpy(anchor).view(state.anchor.shape),
            unstacked(memory, state.memory),
            unstacked(block, state.block),
        )

    def meets(self, steps: Steps) -> NDArray[np.bool_]:
        """After which of the steps all meet ``[T]``."""
        meets = self.parts.periods.meets
        return np.array([meets(s) for s in range(steps.t, steps.t + steps.count)])

    def run(self, arrays: Arrays, steps: Steps) -> int:
        loop = local_steps.LOCAL_LOOP.for_dtype(self.dtype)
        words = self.words(steps, "gradient"), self.words(steps, "compress")
        found: int = loop(
            *self.alone, *self.at_meetings, self.flags, *arrays, steps.gammas, steps.t, *words,
            steps.replicas, self.together, self.meets(steps), steps.bits,
        )  # fmt: skip
        return found

    def run_shared(self, threads: Threads, arrays: Arrays, steps: Steps) -> int:
        alone = local_steps.WORKERS_ALONE.for_dtype(self.dtype)
        meeting = local_steps.MEETING.for_dtype(self.dtype)
        x, velocity, *rest = arrays
        gwords, cwords = self.words(steps, "gradient"), self.words(steps, "compress")
        meets = self.meets(steps)
        ends = sorted({0, *(np.flatnonzero(meets) + 1).tolist(), steps.count})
        for start, stop in pairwise(ends):
            given = (
                *self.alone, self.flags, x, velocity, steps.gammas, gwords, steps.replicas,
                self.together, start, stop,
            )  # fmt: skip
            if not all(threads.each(self.n, alone, *given)):
                return start
            at = stop - 1
            if meets[at] and not meeting(
                *self.at_meetings, self.flags, x, velocity, *rest, steps.gammas[at],
                steps.t + at, cwords[at], steps.replicas, steps.bits[at if self.bits_vary else 0],
            ):  # fmt: skip
                return start
        return steps.count

    def charge(self, steps: Steps) -> None:
        count = int(self.meets(steps).sum())
        lead = tuple(self.place.replicas.shape)
        if not count:
            return
        if self.sent.bits is None:
            self.network.charge_upload(
                torch.from_numpy(steps.bits.sum(0)).view(*lead, self.n), count
            )
        else:
            self.network.charge_upload(count * self.sent.bits, count)
        self.network.charge_receive(count * self.dense, count)
        if self.parts.averaged:
            self.network.charge_upload(count * self.dense, count)
            self.network.charge_receive(count * self.dense, count)

    def charge_time(self, watch: Clock, steps: Steps, place: int) -> None:
        watch.work()
        if not self.parts.periods.meets(steps.t + place):
            return
        lead, bits = self.place.replicas.shape, self.sent.bits
        varied = torch.from_numpy(steps.bits[place if bits is None else 0]).view(*lead, self.n)
        watch.up(varied if bits is None else bits, 1)
        watch.down(self.dense)
        if self.parts.averaged:
            watch.up(self.dense, 1)
            watch.down(self.dense)
