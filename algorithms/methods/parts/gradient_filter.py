"""Filters of delayed block proximal gradient: what a worker leaves unsent (Li et al. 2014)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.core.decays import require_decay


class Filter(ABC):
    """Choice of block-gradient coordinates that a worker sends; members are frozen dataclasses."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    @abstractmethod
    def sends(self, g: Tensor, x: Tensor, t: int) -> Tensor:
        """Mask (bool) for gradients g and the models x they were taken at, ``[..., m, b]``."""

    def limit(self, t: int) -> float | None:
        """The magnitude that gradients at coordinates of zero must exceed at step t, where all else
        is sent; None: it is another rule."""
        return None


@final
@dataclass(frozen=True)
class NoFilter(Filter):
    """No filter: every entry of the gradient is sent."""

    @property
    def name(self) -> str:
        return "no filter"

    def sends(self, g: Tensor, x: Tensor, t: int) -> Tensor:
        return torch.ones_like(g, dtype=torch.bool)

    def limit(self, t: int) -> float:
        return -1.0


@final
@dataclass(frozen=True)
class KKTFilter(Filter):
    r"""Not sent: coordinates with x_j = 0 and |g_{ij}| \le \theta_0 \rho^t\, weight.

    By the optimality condition of weight ||x||_1 a coordinate stays 0 where the mean gradient is
    at most the weight; a worker knows its own only, so the threshold \theta_t = \theta_0 \rho^t
    decays (``theta``, ``rho``) and nothing is lost in the limit. (Li, Andersen, Smola, Yu 2014,
    NIPS; the decaying threshold as in Li, Zhou, Yang, Li, Xia, Andersen, Smola 2013, NIPS
    workshop on big learning.)

    Raises:
        ValueError: weight or theta < 0, or rho outside [0, 1).
    """

    weight: float
    theta: float = 1.0
    rho: float = 0.99

    def __post_init__(self) -> None:
        for name in ("weight", "theta"):
            if not getattr(self, name) >= 0:
                raise ValueError(f"{name} must be at least 0, got {name}={getattr(self, name)}")
        require_decay("rho", self.rho)

    @property
    def name(self) -> str:
        return f"KKT filter(weight={self.weight:g}, theta={self.theta:g}, rho={self.rho:g})"

    def sends(self, g: Tensor, x: Tensor, t: int) -> Tensor:
        return (x != 0) | (g.abs() > self.limit(t))

    def limit(self, t: int) -> float:
        return self.theta * self.rho**t * self.weight
