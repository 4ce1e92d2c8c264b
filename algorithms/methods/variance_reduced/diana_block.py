"""Blocks of steps of DIANA."""

from __future__ import annotations

from typing import TYPE_CHECKING, final

import numpy as np

from algorithms.compressors.identity import Identity
from algorithms.kernels.diana_steps import DIANA_LOOP
from algorithms.kernels.row_parts import RowPart, filled_in
from algorithms.optimizers.proximal import NoProximal
from algorithms.pipeline.base import Place
from algorithms.pipeline.rounds import ChargedExchange, RoundsBlock, alone
from algorithms.pipeline.server import own

if TYPE_CHECKING:
    from algorithms.methods.variance_reduced.diana import Diana


@final
class DianaBlock(RoundsBlock):
    """The state is a :class:`~algorithms.methods.variance_reduced.diana.DianaState`."""

    loop = DIANA_LOOP

    def __init__(self, place: Place, t: int, gradient: RowPart, method: Diana) -> None:
        super().__init__(place, gradient, method.step_rule)
        d, dtype = self.d, self.dtype
        self.sent = alone(method.compressor, d, dtype, t)
        self.until, self.bits_vary = self.sent.until, self.sent.bits is None
        self.operator_calls = 0 if self.sent.part is None else self.sent.part.calls
        change = own(method.proximal, NoProximal, d, dtype)
        self.exchanges = (
            ChargedExchange(True, self.sent.bits),
            ChargedExchange(False, Identity().bits(d, dtype)),
        )
        self.parts = (
            *self.gradients, *filled_in(dtype, self.sent.part, "operator")[:2],
            *filled_in(dtype, change, "change")[:2],
            np.array([self.sent.part is not None, self.bits_vary]),
            self.kind(method.shift_step(d)), self.kind(method.beta),
        )  # fmt: skip

    def purposes(self) -> tuple[str, ...]:
        draws = self.sent.part is not None and self.sent.part.draws
        return (*super().purposes(), "compress") if draws else super().purposes()
