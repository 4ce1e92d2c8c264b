"""Losses of generalised linear models, sample by sample, of the score v = a^T x."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.kernels import column_rows
from algorithms.kernels.glm_slopes import logistic_slopes, sigmoid_slopes


class GlmLoss(ABC):
    """l(v, y) [f]; members are frozen dataclasses.

    Class attributes: ``name``; ``steepest``, sup |l'| over v [f / v]; ``curvature``, sup |l''| over
    v [f / v^2]; ``convex``; ``compiled``, its number in ``kernels/column_rows.py``, None: it has
    none.
    """

    name: str
    steepest: float
    curvature: float
    convex: bool
    compiled: int | None = None

    @abstractmethod
    def value(self, v: Tensor, y: Tensor) -> Tensor:
        """l at scores v ``[..., S]`` and targets y ``[S]``, shape ``[..., S]``."""

    @abstractmethod
    def slope(self, v: Tensor, y: Tensor) -> Tensor:
        """dl/dv ``[..., S]``; the bits of a row depend on that row alone."""

    @abstractmethod
    def second_derivative(self, v: Tensor, y: Tensor) -> Tensor:
        """d^2l/dv^2 ``[..., S]``."""


@final
@dataclass(frozen=True)
class SquareLoss(GlmLoss):
    """Least squares: l(v, y) = (v - y)^2 / 2 of a prediction v and a target y."""

    name = "square"
    compiled = column_rows.SQUARE
    steepest = math.inf
    curvature = 1.0
    convex = True

    def value(self, v: Tensor, y: Tensor) -> Tensor:
        return 0.5 * (v - y).square()

    def slope(self, v: Tensor, y: Tensor) -> Tensor:
        return v - y

    def second_derivative(self, v: Tensor, y: Tensor) -> Tensor:
        return torch.ones_like(v)


@final
@dataclass(frozen=True)
class LogisticLoss(GlmLoss):
    """log(1 + e^{-y v}), y = -1 or +1."""

    name = "logistic"
    compiled = column_rows.LOGISTIC
    steepest = 1.0
    curvature = 0.25
    convex = True

    def value(self, v: Tensor, y: Tensor) -> Tensor:
        return -torch.nn.functional.logsigmoid(y * v)

    def slope(self, v: Tensor, y: Tensor) -> Tensor:
        return logistic_slopes(v, y)

    def second_derivative(self, v: Tensor, y: Tensor) -> Tensor:
        s = torch.sigmoid(y * v)
        return s * (1 - s)


@final
@dataclass(frozen=True)
class SigmoidLoss(GlmLoss):
    r"""1 / (1 + e^{y v}), y = -1 or +1: a smooth count of errors, not convex.

    With s = 1/(1 + e^{-yv}), l'' = s(1-s)(2s-1), at most 1/(6 sqrt 3) in size.
    """

    name = "sigmoid"
    compiled = column_rows.SIGMOID
    steepest = 0.25
    curvature = 1 / (6 * math.sqrt(3))
    convex = False

    def value(self, v: Tensor, y: Tensor) -> Tensor:
        return torch.sigmoid(-y * v)

    def slope(self, v: Tensor, y: Tensor) -> Tensor:
        return sigmoid_slopes(v, y)

    def second_derivative(self, v: Tensor, y: Tensor) -> Tensor:
        s = torch.sigmoid(y * v)
        return s * (1 - s) * (2 * s - 1)
