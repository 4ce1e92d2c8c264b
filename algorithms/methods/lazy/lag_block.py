"""Blocks of steps of LAG."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from algorithms.compressors.identity import Identity
from algorithms.kernels import lazy_steps
from algorithms.kernels.row_parts import RowPart
from algorithms.pipeline.base import Place, Steps
from algorithms.pipeline.rounds import ChargedExchange, RoundsBlock
from algorithms.pipeline.server import NoRowKernel
from algorithms.synchronisation.lazy import InTurn, ServerRule, Trigger, WorkerRule

if TYPE_CHECKING:
    from algorithms.methods.lazy.lag import LAG


def _rule(trigger: Trigger) -> tuple[int, tuple[float, ...], int]:
    """The trigger's kind, the workers' smoothness and whose turn it is at step 0.

    Raises:
        NoRowKernel: no loop knows it.
    """
    if isinstance(trigger, WorkerRule):
        return lazy_steps.WORKER, (), 0
    if isinstance(trigger, ServerRule):
        return lazy_steps.SERVER, trigger.smoothness, 0
    if isinstance(trigger, InTurn):
        return lazy_steps.TURN, (), trigger.first
    raise NoRowKernel


@final
class LagBlock(RoundsBlock):
    """The state is a :class:`~algorithms.methods.lazy.lag.LAGState`."""

    loop = lazy_steps.LAG_LOOP
    bits_vary = down_bits_vary = asked_first = True
    exchanges = ChargedExchange(False, None), ChargedExchange(True, None)

    def __init__(self, place: Place, t: int, gradient: RowPart, method: LAG) -> None:
        super().__init__(place, gradient, method.step_rule)
        self.method, self.down_rows = method, self.n
        rule, own, self.turn = _rule(method.trigger)
        dense: int = Identity().bits(self.d, self.dtype)
        smooth, weights = (np.array(part, self.kind) for part in (own, method.weights))
        self.parts = *self.gradients, rule, dense, smooth, weights

    def given(self, steps: Steps) -> tuple[Any, ...]:
        times = range(steps.t, steps.t + steps.count)
        rule, forced = self.method.step_rule, map(self.method.opening.forced, times)
        squares = np.array([rule(s) ** 2 for s in times]).astype(self.kind)
        told = [-1 if speak is None else int(speak) for speak in forced]
        return squares, np.array(told, np.int64), self.turn
