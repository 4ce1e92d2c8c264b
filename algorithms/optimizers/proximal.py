"""Proximal: what is done to the model after the move."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.kernels.change_rows import soft_threshold
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.optimizers.base import rounded


class Proximal(ABC):
    """A map of the model after step t, prox_{gamma R} or a truncation; frozen dataclasses."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    @abstractmethod
    def apply(self, x: Tensor, gamma: float, t: int) -> Tensor:
        """The model ``[..., m, d]`` after step t (t = 0, 1, ...) of stepsize gamma."""

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart | None:
        """:meth:`apply` as a compiled function (kind "change" of ``kernels/row_parts.py``), to the
        bit; None: there is none. A subclass publishes its own."""
        return None

    def reach(self, d: int) -> float:
        """The largest norm of a model in R^d after it [x]."""
        return math.inf


@final
@dataclass(frozen=True)
class NoProximal(Proximal):
    """R = 0: the model as it is."""

    @property
    def name(self) -> str:
        return "no regulariser"

    def apply(self, x: Tensor, gamma: float, t: int) -> Tensor:
        return x


@final
@dataclass(frozen=True)
class SoftThreshold(Proximal):
    r"""prox of R = weight ||x||_1: sign(x_j) max(|x_j| - gamma weight, 0).

    Raises:
        ValueError: weight < 0.
    """

    weight: float

    def __post_init__(self) -> None:
        if not self.weight >= 0:
            raise ValueError(f"weight must be at least 0, got weight={self.weight}")

    @property
    def name(self) -> str:
        return f"l1(weight={self.weight:g})"

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(soft_threshold, numbers(dtype, reals=self.weight), draws=False)

    def apply(self, x: Tensor, gamma: float, t: int) -> Tensor:
        return x.sign() * (x.abs() - rounded(gamma, x.dtype) * self.weight).clamp_min(0)
