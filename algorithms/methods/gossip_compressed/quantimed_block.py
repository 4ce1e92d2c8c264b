"""Blocks of steps of QuanTimed-DSGD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from algorithms.kernels.key_words import narrower_words
from algorithms.kernels.row_parts import RowPart, filled_in
from algorithms.kernels.timed_steps import TIMED_LOOP
from algorithms.network.clock import Clock
from algorithms.pipeline.base import Arrays, Place, Steps
from algorithms.pipeline.links import FixedLists
from algorithms.pipeline.rounds import RoundsBlock, alone
from algorithms.pipeline.server import NoRowKernel

if TYPE_CHECKING:
    from algorithms.methods.gossip_compressed.quantimed import QuanTimed


@final
class QuanTimedBlock(RoundsBlock):
    """The state is a :class:`~algorithms.methods.gossip_compressed.quantimed.QuanTimedState`.

    Raises:
        NoRowKernel: messages vary in length.
    """

    divisible = False

    def __init__(self, place: Place, t: int, gradient: RowPart, method: QuanTimed) -> None:
        super().__init__(place, gradient, method.step_rule)
        self.method = method
        self.context: Any = place
        self.sent = alone(method.compressor, self.d, self.dtype, t)
        if self.sent.bits is None:
            raise NoRowKernel  # a step's time depends on the longest message
        self.bits: int = self.sent.bits
        self.until, self.period = self.sent.until, method.topology.period
        incoming = tuple(method.incoming(phase) for phase in range(self.period))
        self.links = FixedLists(incoming, lambda s: s % self.period)
        kept = [method.topology.matrix(phase).diagonal() for phase in range(self.period)]
        self.kept = np.array(kept).astype(self.kind)
        self.parts = *self.gradients, *filled_in(self.dtype, self.sent.part, "operator")[:2]

    def purposes(self) -> tuple[str, ...]:
        draws = self.sent.part is not None and self.sent.part.draws
        return (*super().purposes(), "compress") if draws else super().purposes()

    @property
    def work(self) -> int:
        return self.method.most * super().work

    def run(self, arrays: Arrays, steps: Steps) -> int:
        (x, time), count = arrays, steps.count
        ended, took = self._drawn(steps)
        lists = self.links.lists(self.place, steps.t, steps.t + count, steps.replicas)
        done: int = TIMED_LOOP.for_dtype(self.dtype)(
            *self.parts, x, ended, self._samples(steps), self.words(steps, "compress"), *lists,
            self.kept, self._numbers(steps), steps.t, steps.replicas, self.rows_together,
        )  # fmt: skip
        for t, passed in enumerate(took[:done].numpy(), steps.t):
            time += passed + self.method.message_seconds(self.bits, t)
        return done

    def _drawn(self, steps: Steps) -> tuple[NDArray[np.int64], Tensor]:
        """How many gradients every worker ends in each step ``[T, R, n]``, and what each step takes
        without its messages ``[T, R]`` [s]."""
        method, clocks = self.method, self.method.clocks(self.context)
        seconds = method.times.seconds_of_steps(clocks, "times", self.times(steps), method.most)
        ended, took = method.by_deadline(seconds)
        shape = (steps.count, -1, self.n)
        return ended.reshape(shape).contiguous().numpy(), took.reshape(shape[:2])

    def _samples(self, steps: Steps) -> NDArray[np.int64]:
        """Key words ``[T, S, 2]`` of a step's gradients."""
        first = self.words(steps, "gradient")
        words = narrower_words(first, "sample", self.method.most)
        words[:, 0] = first
        return words

    def _numbers(self, steps: Steps) -> NDArray[Any]:
        method = self.method
        shares = [(method.mixing_rule(t), method.step_rule(t)) for t in self.times(steps)]
        rows = [(1 - share, share, gamma * share) for share, gamma in shares]
        return np.array(rows).astype(self.kind)

    def charge(self, steps: Steps) -> None:
        self.links.charge(self.place, steps.t, np.ones(steps.count, np.int64), self.bits)

    def charge_time(self, watch: Clock, steps: Steps, place: int) -> None:
        watch.work()
        self.links.charge_time(self.place, watch, steps.t + place, self.bits)
