"""Blocks of steps of variance-based compression."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from algorithms.compressors.identity import Identity
from algorithms.compressors.variance_threshold import VarianceThreshold
from algorithms.kernels.key_words import narrower_words
from algorithms.kernels.row_parts import RowPart, filled_in
from algorithms.kernels.variance_steps import VARIANCE_LOOP
from algorithms.pipeline.base import Place, Steps
from algorithms.pipeline.rounds import ChargedExchange, RoundsBlock
from algorithms.pipeline.server import sent_by

if TYPE_CHECKING:
    from algorithms.methods.adaptive.variance_based import VarianceBased


@final
class VarianceBlock(RoundsBlock):
    """The state is a :class:`~algorithms.methods.adaptive.variance_based.VarianceState`."""

    loop = VARIANCE_LOOP
    bits_vary = True

    def __init__(self, place: Place, t: int, gradient: RowPart, method: VarianceBased) -> None:
        super().__init__(place, gradient, method.step_rule)
        d, dtype, self.micro = self.d, self.dtype, method.micro
        self.more_gradients = method.micro - 1
        sent = sent_by(VarianceThreshold(method.alpha), d, dtype, t)
        self.exchanges = (
            ChargedExchange(True, None),
            ChargedExchange(False, Identity().bits(d, dtype)),
        )
        self.parts = (
            *self.gradients, *filled_in(dtype, sent.part, "operator")[:2], method.keep,
            self.kind(method.micro), self.kind(method.zeta),
        )  # fmt: skip

    @property
    def work(self) -> int:
        return self.micro * super().work

    def given(self, steps: Steps) -> tuple[Any, ...]:
        return (narrower_words(self.words(steps, "gradient"), "micro", self.micro),)
