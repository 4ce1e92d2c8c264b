"""Momentum: heavy ball (Polyak 1964) and Nesterov's form (Sutskever et al. 2013, Eq. 7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.core.decays import require_decay
from algorithms.kernels.optimizer_rows import momentum
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.optimizers.base import Optimizer


@final
@dataclass(frozen=True)
class Momentum(Optimizer[Tensor]):
    r"""u_{t+1} = m u_t + \gamma_t g_t; move u_{t+1}, or m u_{t+1} + \gamma_t g_t with ``nesterov``.

    At a constant gradient the moves tend to gamma g / (1 - m).

    Raises:
        ValueError: m outside [0, 1).
    """

    m: float
    nesterov: bool = False

    def __post_init__(self) -> None:
        require_decay("m", self.m)

    @property
    def name(self) -> str:
        return f"{'Nesterov ' if self.nesterov else ''}momentum(m={self.m:g})"

    def init(self, x: Tensor) -> Tensor:
        return torch.zeros_like(x)

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(momentum, numbers(dtype, self.m, ints=(self.nesterov,)), draws=False)

    def update(self, state: Tensor, step: Tensor, x: Tensor, gamma: float) -> tuple[Tensor, Tensor]:
        velocity = self.m * state + step
        return velocity, self.m * velocity + step if self.nesterov else velocity
