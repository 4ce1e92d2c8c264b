"""Error feedback (Seide et al. 2014; Stich, Cordonnier, Jaggi 2018, arXiv:1809.07599)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.kernels.memory_rows import add_residual, keep_residual
from algorithms.kernels.row_parts import MemoryPart, numbers
from algorithms.memories.base import Memory, Round


@final
@dataclass(frozen=True)
class ErrorFeedback(Memory[Tensor]):
    r"""p_t = x_t + e_t, send C(p_t), e_{t+1} = p_t - C(p_t).

    Nothing is lost: sum of messages + residual = sum of inputs, exactly in exact arithmetic.
    The memory holds steps gamma g, so that stepsizes may vary (MEM-SGD, EF-SGD).
    """

    holds_steps: ClassVar[bool] = True
    after_reads: ClassVar[frozenset[str]] = frozenset({"wanted", "sent"})

    @property
    def name(self) -> str:
        return "error feedback"

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Tensor:
        return torch.zeros(shape, dtype=dtype, device=device)

    def before(self, state: Tensor, x: Tensor) -> Tensor:
        return state + x

    def row_kernel(self, dtype: torch.dtype) -> MemoryPart:
        return MemoryPart(add_residual, keep_residual, numbers(dtype))

    def after(self, state: Tensor, round_: Round) -> Tensor:
        return round_.wanted - round_.sent
