"""ECQ-SGD's memory of all past errors (Wu, Huang, Huang, Zhang 2018, arXiv:1806.08054)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.kernels.memory_rows import add_weighed, keep_decayed
from algorithms.kernels.row_parts import MemoryPart, numbers
from algorithms.memories.base import Memory, Round


@final
@dataclass(frozen=True)
class DecayingFeedback(Memory[Tensor]):
    r"""Send C(g_t + alpha h_t), h_{t+1} = beta h_t + (g_t - sent), Eq. 4-5.

    It remembers gradients, not steps. alpha weighs the accumulated error, beta < 1 lets it decay;
    alpha = beta = 1 is error feedback.

    Raises:
        ValueError: alpha or beta outside [0, 1].
    """

    alpha: float
    beta: float

    after_reads: ClassVar[frozenset[str]] = frozenset({"x", "sent"})

    def __post_init__(self) -> None:
        if not (0 <= self.alpha <= 1 and 0 <= self.beta <= 1):
            raise ValueError(
                f"alpha and beta must lie in [0, 1], got alpha={self.alpha}, beta={self.beta}"
            )

    @property
    def name(self) -> str:
        return f"decaying feedback(alpha={self.alpha:g}, beta={self.beta:g})"

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Tensor:
        return torch.zeros(shape, dtype=dtype, device=device)

    def before(self, state: Tensor, x: Tensor) -> Tensor:
        return x + self.alpha * state

    def row_kernel(self, dtype: torch.dtype) -> MemoryPart:
        return MemoryPart(add_weighed, keep_decayed, numbers(dtype, self.alpha, self.beta))

    def after(self, state: Tensor, round_: Round) -> Tensor:
        return self.beta * state + (round_.x - round_.sent)
