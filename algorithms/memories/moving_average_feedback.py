"""LoCo's memory, a moving average of errors (Xie, Lin, Toh, Zhou 2024, arXiv:2407.04480)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.kernels.memory_rows import add_average, keep_average
from algorithms.kernels.row_parts import MemoryPart, numbers
from algorithms.memories.base import Memory, Round


@final
@dataclass(frozen=True)
class MovingAverageFeedback(Memory[Tensor]):
    r"""h_t = g_t + e_t, send C(h_t), e_{t+1} = (1 - b) e_t + b (h_t - C(h_t)), forgotten at every
    ``reset``-th step.

    It remembers gradients, not steps, so that any optimizer may take what comes back. With b = 1
    and no reset it is error feedback; b < 1 averages errors of single steps out.

    Attributes:
        b: weight of the newest error.
        reset: steps after which e is set to 0 again; 0: never.
        fresh: whether e counts as 0 at this step; :meth:`at_step` says so.

    Raises:
        ValueError: b outside [0, 1], reset < 0.
    """

    b: float
    reset: int = 0
    fresh: bool = False

    after_reads: ClassVar[frozenset[str]] = frozenset({"wanted", "sent"})

    def __post_init__(self) -> None:
        if self.reset < 0:
            raise ValueError(f"reset must be at least 0, 0 for never, got reset={self.reset}")
        if not 0 <= self.b <= 1:
            raise ValueError(f"b must lie in [0, 1], got b={self.b}; 1 is error feedback")

    @property
    def name(self) -> str:
        tail = f", reset every {self.reset}" if self.reset else ""
        return f"moving average of errors(b={self.b:g}{tail})"

    def at_step(self, t: int) -> MovingAverageFeedback:
        return replace(self, fresh=True) if self.reset and t % self.reset == 0 else self

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Tensor:
        return torch.zeros(shape, dtype=dtype, device=device)

    def before(self, state: Tensor, x: Tensor) -> Tensor:
        return x if self.fresh else state + x

    def after(self, state: Tensor, round_: Round) -> Tensor:
        newest = self.b * (round_.wanted - round_.sent)
        return newest if self.fresh else (1 - self.b) * state + newest

    def row_kernel(self, dtype: torch.dtype) -> MemoryPart:
        packed = numbers(dtype, self.b, 1 - self.b, ints=(self.fresh,))
        return MemoryPart(add_average, keep_average, packed)
