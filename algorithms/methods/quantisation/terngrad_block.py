"""Blocks of steps of TernGrad with a shared scale."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, final

import numpy as np

from algorithms.compressors.identity import Identity
from algorithms.compressors.ternary import TernarySum, UnitTernary
from algorithms.kernels.row_parts import RowPart, filled_in
from algorithms.kernels.ternary_steps import TERNARY_LOOP
from algorithms.pipeline.base import Place
from algorithms.pipeline.rounds import ChargedExchange, RoundsBlock
from algorithms.pipeline.server import NoRowKernel
from algorithms.transforms.clipping import ClipEntries

if TYPE_CHECKING:
    from algorithms.methods.quantisation.terngrad import TernGradSGD


@final
class TernaryBlock(RoundsBlock):
    """The state is a :class:`~algorithms.methods.quantisation.terngrad.TernGradState`.

    Raises:
        NoRowKernel: a part publishes no compiled function.
    """

    loop = TERNARY_LOOP

    def __init__(self, place: Place, t: int, gradient: RowPart, method: TernGradSGD) -> None:
        super().__init__(place, gradient, method.step_rule)
        if not method.share_scale:
            raise NoRowKernel
        d, dtype, dense = self.d, self.dtype, Identity()
        shapes = place.problem.shapes if method.layers else ((d,),)
        sizes = np.array([math.prod(shape) for shape in shapes], np.int64)
        clip = None if method.clip is None else ClipEntries(method.clip, shapes)
        scale, answer = dense.bits(len(sizes), dtype), TernarySum(self.n)
        self.exchanges = (
            ChargedExchange(True, scale), ChargedExchange(False, scale),
            ChargedExchange(True, UnitTernary().bits(d, dtype)),
            ChargedExchange(False, (answer if method.localise else dense).bits(d, dtype)),
        )  # fmt: skip
        self.parts = (
            *self.gradients,
            *filled_in(dtype, clip and clip.row_kernel(d, dtype, self.n), "change")[:2], sizes,
            method.localise,
        )  # fmt: skip

    def purposes(self) -> tuple[str, ...]:
        return (*super().purposes(), "compress")
