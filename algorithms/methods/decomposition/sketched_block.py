"""Blocks of steps of Sketched-SGD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

from algorithms.compressors.count_sketch import hashes
from algorithms.compressors.identity import Identity
from algorithms.compressors.requirements import kept
from algorithms.compressors.top_k import TopK
from algorithms.core.key import NumbersAsked
from algorithms.kernels.heavy_steps import HEAVY_LOOP
from algorithms.kernels.row_parts import RowPart, filled_in
from algorithms.methods.parts.coordinate_list import CoordinateList
from algorithms.pipeline.base import Arrays, Place
from algorithms.pipeline.rounds import ChargedExchange, RoundsBlock
from algorithms.pipeline.server import sent_by

if TYPE_CHECKING:
    from algorithms.methods.decomposition.sketched_sgd import SketchedSGD


@final
class HeavyBlock(RoundsBlock):
    """The state is a :class:`~algorithms.methods.decomposition.sketched_sgd.SketchedState`.

    Raises:
        NumbersAsked: it draws hashes, and the key has no numbers.
    """

    loop = HEAVY_LOOP

    def __init__(self, place: Place, t: int, gradient: RowPart, method: SketchedSGD) -> None:
        super().__init__(place, gradient, method.step_rule)
        d, dtype = self.d, self.dtype
        if not place.key.numbers:
            raise NumbersAsked
        asked, k, dense = method.asked(d), kept(method.k, d), Identity()
        sent = sent_by(TopK(k), asked, dtype, t)
        draws = place.key.fold("hashes").draws(place.replicas, place.network.server)
        self.table = hashes(draws, method.rows, method.width, d).reshape(-1, method.rows, d).numpy()
        self.exchanges = (
            ChargedExchange(True, dense.bits(method.rows * method.width, dtype)),
            ChargedExchange(False, CoordinateList(d).bits(asked, dtype)),
            ChargedExchange(True, dense.bits(asked, dtype)), ChargedExchange(False, sent.bits),
        )  # fmt: skip
        self.parts = (
            *self.gradients, *filled_in(dtype, sent.part, "operator")[:2], method.width, asked, k,
        )  # fmt: skip

    def enter(self, state: Any) -> Arrays:
        return (*super().enter(state), self.table)

    def leave(self, arrays: Arrays, state: Any) -> Any:
        return super().leave(arrays[:-1], state)
