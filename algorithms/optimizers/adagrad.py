"""Adagrad (Duchi, Hazan, Singer 2011): a stepsize for every coordinate, from its own gradients."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.kernels.optimizer_rows import adagrad
from algorithms.kernels.row_norms import exact_sqrt
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.optimizers.base import Optimizer


@final
@dataclass(frozen=True)
class Adagrad(Optimizer[Tensor]):
    r"""v_{t+1} = v_t + g_t \odot g_t; move \gamma_t g_t / (\sqrt{v_{t+1}} + \epsilon).

    (Duchi, Hazan, Singer 2011, JMLR 12, Section 1.3, diagonal form; Downpour's servers in Dean et
    al. 2012, Section 4.1.) ``eps`` [gradient].

    Raises:
        ValueError: eps not positive.
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

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(adagrad, numbers(dtype, self.eps), draws=False)

    def update(self, state: Tensor, step: Tensor, x: Tensor, gamma: float) -> tuple[Tensor, Tensor]:
        squares = state + (step / gamma).square()
        return squares, step / (exact_sqrt(squares) + self.eps)
