"""Blocks of steps of CMFL."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, final

import numpy as np

from algorithms.compressors.identity import Identity
from algorithms.kernels.drift_steps import FILTER_LOOP
from algorithms.kernels.row_parts import RowPart, filled_in
from algorithms.pipeline.base import Place, Steps
from algorithms.pipeline.rounds import ChargedExchange, RoundsBlock

if TYPE_CHECKING:
    from algorithms.methods.lazy.cmfl import CMFL


@final
class CmflBlock(RoundsBlock):
    """The state is a :class:`~algorithms.methods.lazy.cmfl.CMFLState`."""

    loop = FILTER_LOOP
    bits_vary = True

    def __init__(self, place: Place, t: int, gradient: RowPart, method: CMFL) -> None:
        super().__init__(place, gradient, method.step_rule)
        self.method, dense = method, Identity().bits(self.d, self.dtype)
        self.exchanges = ChargedExchange(True, None), ChargedExchange(False, dense)
        self.parts = *self.gradients, *filled_in(self.dtype, None, "move")[:2], dense

    def meets(self, t: int) -> bool:
        return (t + 1) % self.method.period == 0

    def given(self, steps: Steps) -> tuple[Any, ...]:
        rounds = [max(1, (s + 1) // self.method.period) for s in self.times(steps)]
        asked = [-math.inf if k == 1 else self.method.threshold_at(k) for k in rounds]
        return np.array(self.met(steps)), np.array(asked)
