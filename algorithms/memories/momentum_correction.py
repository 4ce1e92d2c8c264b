"""Momentum before accumulation (Lin et al. 2018, arXiv:1712.01887): correction, factor masking."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.core.decays import require_decay
from algorithms.kernels.memory_rows import add_corrected, keep_corrected
from algorithms.kernels.row_parts import MemoryPart, numbers
from algorithms.memories.base import Memory, Round


class Corrected(NamedTuple):
    """Each worker's velocity u and accumulated velocity v, ``[..., m, d]``."""

    u: Tensor
    v: Tensor


@final
@dataclass(frozen=True)
class MomentumCorrection(Memory[Corrected]):
    r"""u_t = m u_{t-1} + \gamma g_t, v_t = v_{t-1} + u_t; send C(v_t); v_t loses what was sent.

    What accumulates is the velocity, not the gradient, so that a coordinate sent late moves as
    momentum would have moved it. With ``masking`` the velocity of what was sent is cleared as well
    (momentum factor masking), which stops stale momentum. Nothing is lost: sum of messages + v =
    sum of velocities. With nothing held back it is heavy-ball SGD.

    Raises:
        ValueError: m outside [0, 1).
    """

    m: float = 0.9
    masking: bool = False

    holds_steps: ClassVar[bool] = True
    after_reads: ClassVar[frozenset[str]] = frozenset({"x", "wanted", "sent"})

    def __post_init__(self) -> None:
        require_decay("m", self.m)

    @property
    def name(self) -> str:
        return f"momentum correction(m={self.m:g}{', factor masking' if self.masking else ''})"

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Corrected:
        zero = torch.zeros(shape, dtype=dtype, device=device)
        return Corrected(zero, zero)

    def before(self, state: Corrected, x: Tensor) -> Tensor:
        return state.v + (self.m * state.u + x)

    def row_kernel(self, dtype: torch.dtype) -> MemoryPart:
        return MemoryPart(
            add_corrected, keep_corrected, numbers(dtype, self.m, ints=(self.masking,))
        )

    def after(self, state: Corrected, round_: Round) -> Corrected:
        u = self.m * state.u + round_.x
        if self.masking:
            u = torch.where(round_.sent != 0, 0, u)
        return Corrected(u, round_.wanted - round_.sent)
