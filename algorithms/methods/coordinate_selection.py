"""Which coordinates a worker of asynchronous coordinate prox updates (arXiv:1812.03871)."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.key import Draws


class Selection(ABC):
    """Which coordinates a worker updates and sends; members are frozen dataclasses."""

    @property
    @abstractmethod
    def name(self) -> str: ...

    @abstractmethod
    def mask(self, read: Tensor, draws: Draws) -> Tensor:
        """Mask (bool) of the shape of ``read`` ``[..., k, d]``, the models that workers read."""


@final
@dataclass(frozen=True)
class UniformSelection(Selection):
    """Each coordinate with probability q, by itself: sparse uploads of DAve-RPG. q = 1: DAve-PG.

    Raises:
        ValueError: q outside (0, 1].
    """

    q: float

    def __post_init__(self) -> None:
        _check(self.q)

    @property
    def name(self) -> str:
        return f"uniform(q={self.q:g})"

    def mask(self, read: Tensor, draws: Draws) -> Tensor:
        return draws.uniform(read.shape[-1], torch.float64) < self.q


@final
@dataclass(frozen=True)
class SupportSelection(Selection):
    """All coordinates of the support of what was read, others with probability q: SPY.

    Raises:
        ValueError: q outside (0, 1].
    """

    q: float

    def __post_init__(self) -> None:
        _check(self.q)

    @property
    def name(self) -> str:
        return f"support and uniform(q={self.q:g})"

    def mask(self, read: Tensor, draws: Draws) -> Tensor:
        return (read != 0) | (draws.uniform(read.shape[-1], torch.float64) < self.q)


def _check(q: float) -> None:
    if not 0 < q <= 1:
        raise ValueError(f"q must lie in (0, 1], got q={q}")
