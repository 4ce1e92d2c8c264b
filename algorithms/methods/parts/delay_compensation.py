"""Corrections by a parameter server for the age of a gradient."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Generic, NamedTuple, TypeVar, final

import torch
from torch import Tensor

from algorithms.core.decays import require_decay
from algorithms.kernels import corrections
from algorithms.kernels.mean import sum_rows
from algorithms.kernels.row_norms import exact_sqrt
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.problems.base import Problem

State = TypeVar("State")


class LateGradients(NamedTuple):
    """Gradients g ``[..., k, d]`` of ``workers`` ``[..., k]`` that were taken at ``read``
    ``[..., k, d]``, while the model is at ``now`` ``[..., 1, d]``.

    A row of nobody is zero and stays so.

    Attributes:
        problem: the problem that the gradients are of; exact compensation asks it for Hessians.
    """

    g: Tensor
    now: Tensor
    read: Tensor
    problem: Problem
    workers: Tensor


class Correction(ABC, Generic[State]):
    """Acts on gradients that were taken at an older model; members are frozen dataclasses."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    @abstractmethod
    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> State:
        """The server's state; ``shape`` ``[..., 1, d]`` is that of its model."""

    @abstractmethod
    def apply(self, state: State, late: LateGradients) -> tuple[State, Tensor]:
        """The next state, and what is used of the gradients ``[..., k, d]``."""

    def longest(self, steepest: float) -> float | None:
        """The most that it adds to a gradient, over the length of the model's move since, where one
        gradient arrives at a time and none is longer than ``steepest``; None: unknown."""
        return None

    def row_kernel(self, dtype: torch.dtype) -> RowPart | None:
        """:meth:`apply` as a compiled function (kind "correction" of ``kernels/row_parts.py``), to
        the bit; None: there is none. A subclass publishes its own."""
        return None


@final
@dataclass(frozen=True)
class NoCorrection(Correction[None]):
    """Gradients are used as they come."""

    @property
    def name(self) -> str:
        return "no correction"

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> None:
        return None

    def apply(self, state: None, late: LateGradients) -> tuple[None, Tensor]:
        return None, late.g


@final
@dataclass(frozen=True)
class DiagonalCompensation(Correction[Tensor]):
    r"""g + \lambda\, g \odot g \odot (x_{now} - x_{read}): DC-ASGD, DC-ASGD-a where ``adaptive``.

    g g^T stands for the Hessian, of which the diagonal is kept. Adaptive: \lambda_t = \lambda_0 /
    \sqrt{M_t + \epsilon}, coordinate by coordinate, with M_t = m M_{t-1} + (1 - m) g \odot g and
    M_0 = 0 (``decay`` m, ``eps`` \epsilon); gradients that arrive together count as their mean.
    (Zheng et al. 2016, arXiv:1609.08326: DC-ASGD, Algorithm 2 on the server.)

    Attributes:
        lam: \lambda, or \lambda_0 where ``adaptive``.

    Raises:
        ValueError: lam < 0, decay outside [0, 1), or eps <= 0.
    """

    lam: float
    adaptive: bool = False
    decay: float = 0.95
    eps: float = 1e-7

    def __post_init__(self) -> None:
        if not self.lam >= 0:
            raise ValueError(f"lam must be at least 0, got lam={self.lam}")
        require_decay("decay", self.decay)
        if not self.eps > 0:
            raise ValueError(f"eps must be positive, got eps={self.eps}")

    @property
    def name(self) -> str:
        return f"delay compensation({'adaptive, ' if self.adaptive else ''}lam={self.lam:g})"

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> Tensor:
        return torch.zeros(shape if self.adaptive else 0, dtype=dtype, device=device)

    def apply(self, state: Tensor, late: LateGradients) -> tuple[Tensor, Tensor]:
        g, square, moved = late.g, late.g * late.g, late.now - late.read
        if not self.adaptive:
            return state, g + self.lam * square * moved
        came = (g != 0).any(-1).sum(-1)[..., None, None]
        mean = sum_rows(square, keepdim=True) / came.clamp_min(1)
        decayed = self.decay * state + (1 - self.decay) * mean
        state = torch.where(came > 0, decayed, state)
        lam = self.lam / exact_sqrt(state + self.eps)
        return state, g + lam * square * moved

    def longest(self, steepest: float) -> float:
        """lam g_j^2 at most; adaptive: lam |g_j|/sqrt(1 - m), as M_t is at least (1 - m) g_j^2."""
        if self.adaptive:
            return self.lam * steepest / math.sqrt(1 - self.decay)
        return self.lam * steepest**2

    def row_kernel(self, dtype: torch.dtype) -> RowPart:
        function = corrections.adaptive_diagonal if self.adaptive else corrections.diagonal
        given = torch.tensor((self.lam, self.eps, self.decay, 1 - self.decay), dtype=dtype)
        return RowPart(function, numbers(dtype, given), draws=False)


@final
@dataclass(frozen=True)
class ExactHessian(Correction[None]):
    r"""g + H_i (x_{now} - x_{read}), what delay compensation approximates: an oracle.

    H_i = \int_0^1 \nabla^2 f_i(x_{read} + s (x_{now} - x_{read}))\, ds, whose product with the move
    is the difference of two full gradients. On a quadratic it is the Hessian, and an expected
    gradient becomes that of ``x_now``: the delay is gone. Zheng et al. 2016 (arXiv:1609.08326)
    start from the first term of the series, the Hessian at x_read.
    """

    @property
    def name(self) -> str:
        return "delay compensation(exact Hessian)"

    def init(self, shape: torch.Size, dtype: torch.dtype, device: torch.device) -> None:
        return None

    def apply(self, state: None, late: LateGradients) -> tuple[None, Tensor]:
        g, gradient = late.g, late.problem.full_gradient
        lag = gradient(late.now, late.workers) - gradient(late.read, late.workers)
        return None, torch.where((g != 0).any(-1, keepdim=True), g + lag, g)
