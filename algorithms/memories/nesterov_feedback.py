"""Nesterov momentum before error feedback (Zheng, Huang, Kwok 2019, arXiv:1905.10936)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.core.decays import require_decay
from algorithms.kernels.memory_rows import add_nesterov, keep_nesterov
from algorithms.kernels.row_parts import MemoryPart, numbers
from algorithms.memories.base import Memory, Round


class Velocity(NamedTuple):
    """Momentum and residual, ``[..., m, d]`` each.

    Attributes:
        velocity: Nesterov's momentum ``[..., m, d]``.
    """

    velocity: Tensor
    residual: Tensor


@final
@dataclass(frozen=True)
class NesterovFeedback(Memory[Velocity]):
    r"""u_t = m u_{t-1} + x_t, send C(p_t) with p_t = m u_t + x_t + e_t, e_{t+1} = p_t - C(p_t).

    x are steps gamma g; m = 0 is error feedback. (Algorithm 3 of the paper, one block.)

    Raises:
        ValueError: m outside [0, 1).
    """

    m: float

    holds_steps: ClassVar[bool] = True
    after_reads: ClassVar[frozenset[str]] = frozenset({"x", "wanted", "sent"})

    def __post_init__(self) -> None:
        require_decay("m", self.m)

    @property
    def name(self) -> str:
        return f"error feedback after Nesterov momentum(m={self.m:g})"

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Velocity:
        return Velocity(*(torch.zeros(shape, dtype=dtype, device=device) for _ in range(2)))

    def before(self, state: Velocity, x: Tensor) -> Tensor:
        return self.m * (self.m * state.velocity + x) + x + state.residual

    def row_kernel(self, dtype: torch.dtype) -> MemoryPart:
        return MemoryPart(add_nesterov, keep_nesterov, numbers(dtype, self.m))

    def after(self, state: Velocity, round_: Round) -> Velocity:
        return Velocity(self.m * state.velocity + round_.x, round_.wanted - round_.sent)
