"""Blocks of steps of two-way truncation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from algorithms.kernels.row_parts import RowPart, filled_in
from algorithms.kernels.two_way_steps import TWO_WAY_LOOP
from algorithms.optimizers.proximal import NoProximal
from algorithms.pipeline.base import Place, Steps
from algorithms.pipeline.rounds import ChargedExchange, RoundsBlock, alone
from algorithms.pipeline.server import own

if TYPE_CHECKING:
    from algorithms.methods.sparsification.two_way_truncation import TwoWayTruncation


@final
class TwoWayBlock(RoundsBlock):
    """The state is a :class:`~algorithms.methods.sparsification.two_way_truncation.TwoWayState`."""

    loop = TWO_WAY_LOOP

    def __init__(self, place: Place, t: int, gradient: RowPart, method: TwoWayTruncation) -> None:
        super().__init__(place, gradient, method.step_rule)
        d, dtype = self.d, self.dtype
        self.up, self.down = alone(method.up, d, dtype, t), alone(method.down, d, dtype, t)
        self.until = min(
            (s for s in (self.up.until, self.down.until) if s is not None), default=None
        )
        self.bits_vary, self.down_bits_vary = self.up.bits is None, self.down.bits is None
        self.exchanges = ChargedExchange(True, self.up.bits), ChargedExchange(False, self.down.bits)
        self.parts = (
            *self.gradients, *filled_in(dtype, self.up.part, "operator")[:2],
            *filled_in(dtype, own(method.proximal, NoProximal, d, dtype), "change")[:2],
            *filled_in(dtype, self.down.part, "operator")[:2],
            np.array([self.bits_vary, self.down_bits_vary]),
        )  # fmt: skip

    def purposes(self) -> tuple[str, ...]:
        sends = (("compress", self.up.part), ("publish", self.down.part))
        asked = [purpose for purpose, part in sends if part is not None and part.draws]
        return (*super().purposes(), *asked)

    def given(self, steps: Steps) -> tuple[Any, ...]:
        return (self.words(steps, "publish"),)
