"""Adagrad: a stepsize for each coordinate, from the gradients seen."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.kernels.rows import exact_sqrt
from algorithms.optimizers.base import Optimizer


@final
@dataclass(frozen=True)
class Adagrad(Optimizer[Tensor]):
    r"""G_{t+1} = G_t + g_t \odot g_t, x_{t+1} = x_t - \gamma_t g_t / (\sqrt{G_{t+1}} + \epsilon).

    (Duchi, Hazan, Singer 2011, JMLR 12; Dean et al. 2012, NIPS, Section 4.1, on the server of
    Downpour SGD, without the epsilon.)

    Attributes:
        eps: \epsilon [f / x].

    Raises:
        ValueError: eps <= 0.
    """

    eps: float = 1e-10

    def __post_init__(self) -> None:
        if not self.eps > 0:
            raise ValueError(f"eps must be positive, got eps={self.eps}")

    @property
    def name(self) -> str:
        return "Adagrad"

    def init(self, x: Tensor) -> Tensor:
        return torch.zeros_like(x)

    def update(self, state: Tensor, step: Tensor, x: Tensor, gamma: float) -> tuple[Tensor, Tensor]:
        g = step / gamma
        state = state + g * g
        return state, step / (exact_sqrt(state) + self.eps)
