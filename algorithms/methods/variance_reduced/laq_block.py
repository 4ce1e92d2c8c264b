"""Blocks of steps of LAQ."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from algorithms.compressors.identity import Identity
from algorithms.kernels.lazy_steps import LAQ_LOOP
from algorithms.kernels.row_parts import RowPart, filled_in
from algorithms.pipeline.base import Place, Steps
from algorithms.pipeline.rounds import ChargedExchange, RoundsBlock, alone

if TYPE_CHECKING:
    from algorithms.methods.variance_reduced.laq import LAQ


@final
class LaqBlock(RoundsBlock):
    """The state is a :class:`~algorithms.methods.variance_reduced.laq.LAQState`."""

    loop = LAQ_LOOP
    bits_vary = True

    def __init__(self, place: Place, t: int, gradient: RowPart, method: LAQ) -> None:
        super().__init__(place, gradient, method.step_rule)
        d, dtype, self.method = self.d, self.dtype, method
        self.sent = alone(method.compressor, d, dtype, t)
        self.until = self.sent.until
        self.exchanges = (
            ChargedExchange(True, None),
            ChargedExchange(False, Identity().bits(d, dtype)),
        )
        self.parts = (
            *self.gradients, *filled_in(dtype, self.sent.part, "operator")[:2],
            np.array([self.sent.part is not None, self.sent.bits is None]), self.sent.bits or 0,
            method.patience, self.kind(method.weight / method.memory),
        )  # fmt: skip

    def purposes(self) -> tuple[str, ...]:
        draws = self.sent.part is not None and self.sent.part.draws
        return (*super().purposes(), "compress") if draws else super().purposes()

    def given(self, steps: Steps) -> tuple[Any, ...]:
        rule = self.method.step_rule
        squares = [rule(s) ** 2 for s in range(steps.t, steps.t + steps.count)]
        return (np.array(squares).astype(self.kind),)
