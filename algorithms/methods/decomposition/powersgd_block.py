"""Blocks of steps of PowerSGD."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, final

import numpy as np
import torch

from algorithms.compressors.identity import Identity
from algorithms.kernels.power_steps import POWER_LOOP
from algorithms.kernels.row_parts import RowPart, filled_in
from algorithms.optimizers.base import SGD
from algorithms.pipeline.base import Arrays, Place, rows_of, stacked, unstacked
from algorithms.pipeline.rounds import ChargedExchange, RoundsBlock
from algorithms.pipeline.server import NoRowKernel, own

if TYPE_CHECKING:
    from algorithms.methods.decomposition.powersgd import PowerSGD


@final
class PowerBlock(RoundsBlock):
    """The state is a :class:`~algorithms.methods.decomposition.powersgd.PowerSGDState`.

    Raises:
        NoRowKernel: a part publishes no compiled function.
    """

    loop = POWER_LOOP

    def __init__(self, place: Place, t: int, gradient: RowPart, method: PowerSGD) -> None:
        super().__init__(place, gradient, method.step_rule)
        if not method.warm:
            raise NoRowKernel
        blocks = method.blocks(place.problem)
        plain = sum(b.size for b in blocks if not b.rank)
        first = plain + sum(b.rows * b.rank for b in blocks)
        second = sum(b.columns * b.rank for b in blocks)
        sizes = [Identity().bits(count, self.dtype) for count in (first, second) if count]
        self.exchanges = tuple(ChargedExchange(up, bits) for bits in sizes for up in (True, False))
        move = own(method.optimizer, SGD, self.d, self.dtype)
        self.parts = (
            *self.gradients, *filled_in(self.dtype, move, "move")[:2],
            np.array([method.aggregate_residual, method.feedback, move is not None]),
            np.array(blocks, np.int64),
        )  # fmt: skip

    @property
    def work(self) -> int:
        return 2 * super().work

    def enter(self, state: Any) -> Arrays:
        flat = [part.reshape(*self.lead, 1, -1) for part in state.q]
        q = torch.cat([state.x[..., :0], *flat], -1)
        q = q.reshape(len(self.place.replicas.view(-1)), 1, q.shape[-1])
        velocity = stacked(state.velocity, self.lead, 1, self.d, self.kind)
        return rows_of(state.x), rows_of(state.residual), q.numpy(), velocity

    def leave(self, arrays: Arrays, state: Any) -> Any:
        x, residual, q, velocity = arrays
        sizes = [part.shape[-2] * part.shape[-1] for part in state.q]
        parts = torch.split(torch.from_numpy(q), sizes, -1) if sizes else ()
        pairs = zip(parts, state.q, strict=True)
        return state._replace(
            x=torch.from_numpy(x).view(state.x.shape),
            residual=torch.from_numpy(residual).view(state.residual.shape),
            q=tuple(new.reshape(old.shape).contiguous() for new, old in pairs),
            velocity=unstacked(velocity, state.velocity),
        )
