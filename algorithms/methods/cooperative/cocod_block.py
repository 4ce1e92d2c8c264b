"""Blocks of steps of CoCoD-SGD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from algorithms.compressors.identity import Identity
from algorithms.kernels.drift_steps import COCOD_LOOP
from algorithms.kernels.row_parts import RowPart, filled_in
from algorithms.network.clock import Clock
from algorithms.pipeline.base import Place, Steps
from algorithms.pipeline.rounds import ChargedExchange, RoundsBlock

if TYPE_CHECKING:
    from algorithms.methods.cooperative.cocod import CoCoD


@final
class CocodBlock(RoundsBlock):
    """The state is a :class:`~algorithms.methods.cooperative.cocod.CoCoDState`."""

    loop = COCOD_LOOP

    def __init__(self, place: Place, t: int, gradient: RowPart, method: CoCoD) -> None:
        super().__init__(place, gradient, method.step_rule)
        self.period, dense = method.period, Identity().bits(self.d, self.dtype)
        self.exchanges = ChargedExchange(True, dense), ChargedExchange(False, dense)
        self.parts = *self.gradients, *filled_in(self.dtype, None, "move")[:2]

    def meets(self, t: int) -> bool:
        return (t + 1) % self.period == 0

    def given(self, steps: Steps) -> tuple[Any, ...]:
        return (np.array(self.met(steps)),)

    def charge_time(self, watch: Clock, steps: Steps, place: int) -> None:
        watch.work()
        if self.meets(steps.t + place):
            with watch.overlapped():
                self.exchange(watch, self.exchanges, steps, place)
