"""Blocks of steps of a server and its workers whose messages are not those of BSP."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any, ClassVar, NamedTuple, final

import numpy as np
import torch
from numpy.typing import NDArray
from torch import Tensor

from algorithms.compressors.base import Compressor
from algorithms.kernels.row_parts import Loop, RowPart, ready
from algorithms.network.clock import Clock
from algorithms.pipeline.base import Arrays, Place, StepBlock, Steps
from algorithms.pipeline.gradients import drawn_gradient
from algorithms.pipeline.server import NoRowKernel, Sent, sent_by
from theory.stepsizes import Stepsize

SILENT = -1
"""What a loop writes down as the length of a message that is not sent."""


@final
class ChargedExchange(NamedTuple):
    """A message of every worker to the server (``up``), or one that every worker hears.

    Attributes:
        bits: its length [bits]; None: the loop writes the lengths down.
    """

    up: bool
    bits: int | None


def alone(compressor: Compressor, d: int, dtype: torch.dtype, t: int) -> Sent:
    """The operator in use at step t, on rows without a guide.

    Raises:
        NoRowKernel: it publishes no compiled function, or looks at a guide.
    """
    if compressor.at_step(t).takes_guide:
        raise NoRowKernel
    return sent_by(compressor, d, dtype, t)


def rounds_block(
    kind: Callable[[Place, int, RowPart, Any], RoundsBlock], place: Place, t: int, method: Any,
    gradient: RowPart | None = None,
) -> StepBlock | None:  # fmt: skip
    """The steps of ``method`` from t on as blocks of a ``kind``, with the problem's gradients
    unless others are given; None where a part publishes no compiled function."""
    found = gradient or drawn_gradient(place)
    try:
        return None if found is None else kind(place, t, found, method)
    except NoRowKernel:
        return None


class RoundsBlock(StepBlock):
    """Steps with a loop of their own, whose state is a tuple of tensors ``[..., a, b]`` or
    ``[..., a]``.

    Members set ``parts``, what their loop takes before the state's arrays, and ``exchanges``, what
    crosses in a step at which workers and server meet, in this order.

    Attributes:
        loop: takes parts, arrays, what :meth:`given` adds, stepsizes, the first step, key words of
            gradients and messages, replicas, rows together, and room for lengths up and down.
        down_rows: lengths of a server's message that the loop writes down.
        asked_first: whether the first exchange comes before the gradients.
    """

    loop: ClassVar[Loop]
    down_rows: int = 1
    asked_first: bool = False
    parts: tuple[Any, ...]
    exchanges: tuple[ChargedExchange, ...]

    def __init__(self, place: Place, gradient: RowPart, step_rule: Stepsize | None) -> None:
        super().__init__(place, gradient, step_rule)
        self.lead = tuple(place.replicas.shape)
        self.gradients = ready(gradient.function, "gradient", self.dtype), gradient.numbers

    def opened(self, state: Any) -> tuple[Tensor, ...]:
        """The tensors of a state."""
        return tuple(state)

    def closed(self, state: Any, parts: tuple[Tensor, ...]) -> Any:
        """The state that such tensors make; ``state`` is the old one."""
        return type(state)(*parts)

    def meets(self, t: int) -> bool:
        """Whether anything crosses in step t."""
        return True

    def times(self, steps: Steps) -> range:
        """The numbers of the steps, t onwards."""
        return range(steps.t, steps.t + steps.count)

    def met(self, steps: Steps) -> list[bool]:
        """Whether anything crosses in each of the steps."""
        return [self.meets(t) for t in self.times(steps)]

    def given(self, steps: Steps) -> tuple[Any, ...]:
        """Further inputs of the loop for the steps."""
        return ()

    def steps(self, t: int, until: int, replicas: NDArray[np.int64]) -> Steps:
        found = super().steps(t, until, replicas)
        if self.down_rows == 1 or not self.down_bits_vary:
            return found
        room = np.zeros((found.count, len(replicas), self.down_rows), np.int64)
        return replace(found, down_bits=room)

    def enter(self, state: Any) -> Arrays:
        axes, count = len(self.lead), int(np.prod(self.lead, dtype=np.int64))
        return tuple(
            part.reshape(count, *part.shape[axes:])
            .clone(memory_format=torch.contiguous_format)
            .numpy()
            for part in self.opened(state)
        )

    def leave(self, arrays: Arrays, state: Any) -> Any:
        pairs = zip(arrays, self.opened(state), strict=True)
        return self.closed(state, tuple(torch.from_numpy(a).view(old.shape) for a, old in pairs))

    def run(self, arrays: Arrays, steps: Steps) -> int:
        words = self.words(steps, "gradient"), self.words(steps, "compress")
        found: int = self.loop.for_dtype(self.dtype)(
            *self.parts, *arrays, *self.given(steps), steps.gammas, steps.t, *words,
            steps.replicas, self.rows_together, steps.bits, steps.down_bits,
        )  # fmt: skip
        return found

    def charge(self, steps: Steps) -> None:
        there = self.met(steps)
        met = sum(there)
        for one in self.exchanges if met else ():
            bits: Any = met * (one.bits or 0)
            messages: Any = met
            if one.bits is None:
                lengths = (steps.bits if one.up else steps.down_bits)[there]
                bits = self._shaped(np.maximum(lengths, 0).sum(0))
                messages = self._shaped((lengths != SILENT).sum(0))
            charge = self.network.charge_upload if one.up else self.network.charge_receive
            charge(bits, messages)

    def charge_time(self, watch: Clock, steps: Steps, place: int) -> None:
        crossing = self.exchanges if self.meets(steps.t + place) else ()
        before = 1 if self.asked_first else 0
        self.exchange(watch, crossing[:before], steps, place)
        watch.work()
        self.exchange(watch, crossing[before:], steps, place)

    def exchange(
        self, watch: Clock, crossing: tuple[ChargedExchange, ...], steps: Steps, place: int
    ) -> None:
        """Charge the clock for what crosses in the step in ``place`` of the steps."""
        for one in crossing:
            bits: Any = one.bits
            messages: Any = 1
            if bits is None:
                lengths = (steps.bits if one.up else steps.down_bits)[place]
                bits = self._shaped(np.maximum(lengths, 0))
                messages = self._shaped((lengths != SILENT).astype(np.int64))
            (watch.up if one.up else watch.down)(bits, messages)

    def _shaped(self, lengths: NDArray[Any]) -> Tensor:
        return torch.from_numpy(lengths).view(*self.lead, lengths.shape[-1])
