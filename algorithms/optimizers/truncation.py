"""Truncation of the model: the truncated gradient."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.kernels.change_rows import truncated
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.optimizers.base import rounded
from algorithms.optimizers.proximal import Proximal


def truncate(x: Tensor, alpha: float, theta: float) -> Tensor:
    r"""T_1(x, alpha, theta): x_j within [-theta, theta] moves towards 0 by alpha, but not past it.

    Larger weights stay. (Langford, Li, Zhang 2009, JMLR 10, Eq. 3.)
    """
    shrunk = x.sign() * (x.abs() - alpha).clamp_min(0)
    return torch.where(x.abs() <= theta, shrunk, x)


@final
@dataclass(frozen=True)
class TruncatedGradient(Proximal):
    r"""Every K steps x <- T_1(x, K gamma g0, theta): the WEIGHTS are truncated, not the gradient.

    ``gravity`` g0 [f / x], ``theta`` [x]: weights beyond it are left alone (infinite: all shrink,
    and K = 1 is the proximal step of g0 ||x||_1). With K g0 in place of g0 the pull is as strong as
    that of a truncation at every step. (Langford, Li, Zhang 2009, JMLR 10, Eq. 4 and 5.)

    Attributes:
        period: K, in steps.

    Raises:
        ValueError: gravity or theta < 0, period < 1.
    """

    gravity: float
    theta: float
    period: int = 1

    def __post_init__(self) -> None:
        for name in ("gravity", "theta"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must be at least 0, got {name}={getattr(self, name)}")
        if self.period < 1:
            raise ValueError(f"period must be at least 1 step, got period={self.period}")

    @property
    def name(self) -> str:
        return f"truncated gradient(g0={self.gravity:g}, theta={self.theta:g}, K={self.period})"

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        own = numbers(dtype, self.theta, ints=(self.period,), reals=self.gravity)
        return RowPart(truncated, own, draws=False)

    def apply(self, x: Tensor, gamma: float, t: int) -> Tensor:
        if (t + 1) % self.period:
            return x
        return truncate(x, self.period * rounded(gamma, x.dtype) * self.gravity, self.theta)
