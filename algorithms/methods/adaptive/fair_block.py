"""Blocks of steps of adaptive-k, whose server looks at the loss in every step."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, final

import numpy as np
import torch

from algorithms.compressors.identity import Identity
from algorithms.compressors.top_count import TopCount
from algorithms.kernels.fair_steps import FAIR_HEARD, FAIR_MOVED
from algorithms.kernels.row_parts import RowPart, filled_in
from algorithms.pipeline.base import Arrays, Place, Steps
from algorithms.pipeline.rounds import ChargedExchange, RoundsBlock
from algorithms.pipeline.server import sent_by
from theory.bits import index_bits

if TYPE_CHECKING:
    from algorithms.methods.adaptive.adaptive_k import AdaptiveK


@final
class FairBlock(RoundsBlock):
    """The state is a :class:`~algorithms.methods.adaptive.adaptive_k.AdaptiveKState`.

    The problem's own ``value`` is asked once a step, of all replicas: its bits may depend on how
    many points it is asked for, so no thread takes a share of them.
    """

    bits_vary = down_bits_vary = True
    divisible = False

    def __init__(self, place: Place, t: int, gradient: RowPart, method: AdaptiveK) -> None:
        super().__init__(place, gradient, method.step_rule)
        d, dtype, self.method = self.d, self.dtype, method
        sent = sent_by(TopCount(method.start), d, dtype, t)
        entry = torch.finfo(dtype).bits + index_bits(d)
        self.least = self.kind(method.least)
        self.exchanges = (
            ChargedExchange(True, None), ChargedExchange(False, None),
            ChargedExchange(True, Identity().bits(1, dtype)),
        )  # fmt: skip
        self.parts = *self.gradients, *filled_in(dtype, sent.part, "operator")[:2], entry

    def width(self, t: int) -> float:
        """delta_t, by how much k rises or falls at step t."""
        return self.method.width * self.d / math.sqrt(2 * (t + 1))

    def run(self, arrays: Arrays, steps: Steps) -> int:
        heard_by, moved_by = FAIR_HEARD.for_dtype(self.dtype), FAIR_MOVED.for_dtype(self.dtype)
        x, residual, state, values = arrays
        incoming, moves = np.empty_like(residual), np.empty((2, *x.shape), self.kind)
        ks, words = np.empty((2, *state.shape), self.kind), self.words(steps, "gradient")
        model, before, tried, asked = map(torch.from_numpy, (x, values, moves, ks))
        for i, gamma in enumerate(steps.gammas):
            width = self.width(steps.t + i)
            if not heard_by(
                *self.parts, self.kind(width / 2), self.least, x, residual, state, gamma,
                steps.t + i, words[i], steps.replicas, self.rows_together, incoming, moves, ks,
                steps.bits[i], steps.down_bits[i],
            ):  # fmt: skip
                return i
            sooner, after = self.method.sooner(model, before, tried, asked, self.problem)
            before.copy_(after)
            # where() gives the numbers of two Python floats in single precision
            change: Any = self.kind(np.float32(width))
            moved_by(
                change, self.least, x, residual, state, incoming, moves, sooner.view(-1).numpy()
            )
        return steps.count
