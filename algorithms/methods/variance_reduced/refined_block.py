"""Blocks of steps of quantisation refined over iterations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from algorithms.compressors.identity import Identity
from algorithms.kernels.refined_steps import REFINED_LOOP
from algorithms.kernels.row_parts import RowPart, filled_in, published, ready
from algorithms.methods.parts.gradients import Full
from algorithms.network.clock import Clock
from algorithms.optimizers.proximal import NoProximal
from algorithms.pipeline.base import Place, Steps
from algorithms.pipeline.rounds import ChargedExchange, RoundsBlock
from algorithms.pipeline.server import NoRowKernel, own

if TYPE_CHECKING:
    from algorithms.methods.variance_reduced.refined import RefinedQuantisation


@final
class RefinedBlock(RoundsBlock):
    """The state is a :class:`~algorithms.methods.variance_reduced.refined.RefinedState`.

    The quantisers of all steps have one function; the first of their numbers is the range's.

    Raises:
        NoRowKernel: a part publishes no compiled function.
    """

    loop = REFINED_LOOP

    def __init__(
        self, place: Place, t: int, gradient: RowPart, method: RefinedQuantisation
    ) -> None:
        super().__init__(place, gradient, method.step_rule)
        d, dtype, self.method = self.d, self.dtype, method
        whole, sent = Full().row_kernel(place), published(method.quantiser(t), d, dtype)
        if whole is None or sent is None:
            raise NoRowKernel
        self.sources = gradient, whole
        self.more_gradients = 1 if method.epoch else 0
        bits = method.quantiser(t).bits(d, dtype)
        self.exchanges = (
            ChargedExchange(True, bits),
            ChargedExchange(False, Identity().bits(d, dtype)),
        )
        self.parts = (
            *self.gradients, ready(whole.function, "gradient", dtype), whole.numbers,
            *filled_in(dtype, sent, "operator")[:2],
            *filled_in(dtype, own(method.proximal, NoProximal, d, dtype), "change")[:2],
        )  # fmt: skip

    def purposes(self) -> tuple[str, ...]:
        return super().purposes() if self.method.epoch else ()

    @property
    def work(self) -> int:
        return 2 * super().work

    def given(self, steps: Steps) -> tuple[Any, ...]:
        times, epoch = self.times(steps), self.method.epoch
        parts = [published(self.method.quantiser(s), self.d, self.dtype) for s in times]
        renews = np.array([epoch > 0 and s % epoch == 0 for s in times])
        return np.stack([part.numbers[0] for part in parts]), renews, epoch > 0

    def charge_time(self, watch: Clock, steps: Steps, place: int) -> None:
        if self.method.epoch:  # full gradients take no time: nobody states how long
            watch.work()
        self.exchange(watch, self.exchanges, steps, place)
