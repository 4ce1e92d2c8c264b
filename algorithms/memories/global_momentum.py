"""Global momentum compression (Zhao, Xie, Gao, Li 2019, arXiv:1905.12948)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, NamedTuple, final

import torch
from torch import Tensor

from algorithms.core.decays import require_decay
from algorithms.kernels.memory_rows import add_global_momentum, keep_move
from algorithms.kernels.row_parts import MemoryPart, numbers
from algorithms.memories.base import Memory, Round


class Remembered(NamedTuple):
    """Each worker's residual ``[..., m, d]`` and the last move of the model ``[..., 1, d]``."""

    residual: Tensor
    move: Tensor


@final
@dataclass(frozen=True)
class GlobalMomentum(Memory[Remembered]):
    r"""p_i = \gamma g_i - m (x_t - x_{t-1}) + e_i, send C(p_i), e_i = p_i - C(p_i).

    The momentum is that of the model all share, so compression does not make the workers' momenta
    drift apart. In the paper's units p_i = g_i - (m/gamma)(x_t - x_{t-1}) + e_i; the survey prints
    m in place of m/gamma, a momentum of gamma m. With nothing held back it is heavy-ball SGD.

    Raises:
        ValueError: m outside [0, 1).
    """

    m: float = 0.9

    holds_steps: ClassVar[bool] = True
    after_reads: ClassVar[frozenset[str]] = frozenset({"wanted", "sent", "mean"})

    def __post_init__(self) -> None:
        require_decay("m", self.m)

    @property
    def name(self) -> str:
        return f"global momentum(m={self.m:g})"

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Remembered:
        rows = torch.zeros(shape, dtype=dtype, device=device)
        return Remembered(rows, rows[..., :1, :].clone())

    def before(self, state: Remembered, x: Tensor) -> Tensor:
        return x + self.m * state.move + state.residual

    def row_kernel(self, dtype: torch.dtype) -> MemoryPart:
        return MemoryPart(add_global_momentum, keep_move, numbers(dtype, self.m))

    def after(self, state: Remembered, round_: Round) -> Remembered:
        return Remembered(round_.wanted - round_.sent, round_.mean)
