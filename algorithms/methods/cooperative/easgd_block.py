"""Blocks of steps of elastic averaging."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np

from algorithms.compressors.identity import Identity
from algorithms.kernels.drift_steps import ELASTIC_LOOP
from algorithms.kernels.row_parts import Part
from algorithms.pipeline.base import Place, Steps
from algorithms.pipeline.rounds import Exchange, Rounds

if TYPE_CHECKING:
    from algorithms.methods.cooperative.easgd import EASGD


@final
class ElasticBlock(Rounds):
    """The state is an :class:`~algorithms.methods.cooperative.easgd.EASGDState`."""

    loop = ELASTIC_LOOP

    def __init__(self, place: Place, t: int, gradient: Part, method: EASGD) -> None:
        super().__init__(place, gradient, method.step_rule)
        self.period, dense = method.period, Identity().bits(self.d, self.dtype)
        self.exchanges = Exchange(True, dense), Exchange(False, dense)
        beta = self.n * method.alpha if method.beta is None else method.beta
        pulls = (method.alpha, beta, method.momentum)
        self.parts = *self.gradients, *map(self.kind, pulls)

    def meets(self, t: int) -> bool:
        return t % self.period == 0

    def given(self, steps: Steps) -> tuple[Any, ...]:
        return (np.array(self.met(steps)),)
