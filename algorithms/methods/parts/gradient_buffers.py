r"""Gradient buffers: what a server collects between two of its steps, and when that is enough."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.kernels.mean import sum_rows

_ROUNDING = 1 + 1e-12  # 49 / 49 is not 1 in sums of reciprocals


class GradientBuffer(ABC):
    """Sums ``[..., slots, d]`` of gradients by slot and their counts ``[..., slots]``; members are
    frozen dataclasses."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    @property
    def asks(self) -> tuple[int, bool] | None:
        """Gradients that a step takes, or is worth, and whether each worker has its own sum: what
        compiled loops go by; None: they do not know it."""
        return None

    def batch(self, n: int, turn: int) -> tuple[int, int] | None:
        """S and C of a server of n workers that drops gradients of older models, each worker
        arriving once in ``turn`` arrivals; None: nothing is known of them.

        At least S gradients make a step, whose noise is at most that of their mean, and no more
        than C arrivals pass between two.
        """
        return None

    @abstractmethod
    def slots(self, n: int) -> int:
        """Number of sums that n workers' gradients are kept in."""

    @abstractmethod
    def slot(self, workers: Tensor) -> Tensor:
        """Slots ``[...]`` of the gradients of ``workers`` ``[...]``."""

    @abstractmethod
    def full(self, counts: Tensor) -> Tensor:
        """Mask ``[...]``: where the server steps, having ``counts`` ``[..., slots]``."""

    @abstractmethod
    def direction(self, sums: Tensor, counts: Tensor) -> Tensor:
        """Direction ``[..., 1, d]`` of the step; read where the buffer is full."""


@final
@dataclass(frozen=True)
class SharedBuffer(GradientBuffer):
    """One sum of the gradients of all workers: a step along the mean of ``size`` of them.

    The sum is divided by ``size``, not by the sum of what the gradients were weighed with. (Tyurin,
    Richtarik 2023, arXiv:2305.12387, Algorithm 1; Nguyen et al. 2021, arXiv:2106.06639.)

    Attributes:
        size: B, gradients of a step.

    Raises:
        ValueError: size < 1.
    """

    size: int = 1

    def __post_init__(self) -> None:
        if self.size < 1:
            raise ValueError(f"size must be at least 1 gradient, got size={self.size}")

    @property
    def name(self) -> str:
        return f"{self.size} a step"

    @property
    def asks(self) -> tuple[int, bool]:
        return self.size, False

    def batch(self, n: int, turn: int) -> tuple[int, int]:
        return self.size, self.size + n - 1  # whoever made the last step holds its model already

    def slots(self, n: int) -> int:
        return 1

    def slot(self, workers: Tensor) -> Tensor:
        return torch.zeros_like(workers)

    def full(self, counts: Tensor) -> Tensor:
        return counts[..., 0] >= self.size

    def direction(self, sums: Tensor, counts: Tensor) -> Tensor:
        return sums / self.size


@final
@dataclass(frozen=True)
class BufferPerWorker(GradientBuffer):
    r"""A sum for every worker: a step along the mean of their means, \frac1n \sum_i s_i / c_i.

    It is taken once the harmonic mean of the counts c_i is at least S/n, so that the noise of the
    step is at most that of S gradients, \frac{1}{n^2} \sum_i \sigma^2/c_i \le \sigma^2/S. (Tyurin,
    Richtarik 2023, arXiv:2305.12387, Malenia SGD.)

    Attributes:
        total: S, gradients that a step is worth.

    Raises:
        ValueError: total < 1.
    """

    total: int = 1

    def __post_init__(self) -> None:
        if self.total < 1:
            raise ValueError(f"total must be at least 1 gradient, got total={self.total}")

    @property
    def name(self) -> str:
        return f"worth {self.total} a step, by worker"

    @property
    def asks(self) -> tuple[int, bool]:
        return self.total, True

    def batch(self, n: int, turn: int) -> tuple[int, int]:
        more = -(-self.total // n)  # turns once all hold the model
        return self.total, turn * (1 + more)

    def slots(self, n: int) -> int:
        return n

    def slot(self, workers: Tensor) -> Tensor:
        return workers

    def full(self, counts: Tensor) -> Tensor:
        n = counts.shape[-1]
        spent = (1 / counts.to(torch.float64)).sum(-1)  # infinite while somebody has sent nothing
        return spent * self.total <= n * n * _ROUNDING

    def direction(self, sums: Tensor, counts: Tensor) -> Tensor:
        means = sums / counts.clamp_min(1)[..., None]
        return sum_rows(means, keepdim=True) / counts.shape[-1]
