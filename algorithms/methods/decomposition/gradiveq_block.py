"""Blocks of steps of GradiVeQ: those that learn a basis, and those that send by it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, final

import torch
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.kernels.row_parts import RowPart
from algorithms.kernels.slice_steps import SLICE_LOOP
from algorithms.pipeline.base import Arrays, Place, Steps
from algorithms.pipeline.rounds import ChargedExchange, RoundsBlock

if TYPE_CHECKING:
    from algorithms.methods.decomposition.gradiveq import GradiVeQ


@final
class SliceBlock(RoundsBlock):
    """The state is a :class:`~algorithms.methods.decomposition.gradiveq.GradiVeQState`.

    ``leading`` gives the k leading eigenvectors of covariances ``[..., K, K]``.
    """

    loop = SLICE_LOOP

    def __init__(
        self, place: Place, t: int, gradient: RowPart, method: GradiVeQ,
        leading: Callable[[Tensor, int], Tensor],
    ) -> None:  # fmt: skip
        super().__init__(place, gradient, method.step_rule)
        self.method, self.leading = method, leading
        begun, count = t - t % method.cycle, -(-self.d // method.length)
        self.learns = method.learning(t)
        self.until = begun + (method.learn if self.learns else method.cycle)
        floats = self.d if self.learns else count * method.k
        bits = Identity().bits(floats, self.dtype)
        self.exchanges = ChargedExchange(True, bits), ChargedExchange(False, bits)
        self.parts = (
            *self.gradients, method.feedback, method.centred, method.learn, method.cycle
        )  # fmt: skip

    def run(self, arrays: Arrays, steps: Steps) -> int:
        found, (*_, covariance, basis) = super().run(arrays, steps), arrays
        if self.learns and found == steps.count and steps.t + found == self.until:
            basis[:] = self.leading(torch.from_numpy(covariance), self.method.k).numpy()
        return found
