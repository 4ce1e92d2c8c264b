"""Projection of the model onto a convex set, as what is done to it after the move."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.kernels.row_parts import RowPart, published
from algorithms.optimizers.proximal import NoProximal, Proximal
from algorithms.problems.base import Problem
from algorithms.sets.ball import Ball
from algorithms.sets.base import ConvexSet


@final
@dataclass(frozen=True)
class Projection(Proximal):
    r"""prox of the indicator of X: :math:`\Pi_X(x)`, whatever the stepsize.

    Attributes:
        domain: X.
    """

    domain: ConvexSet

    @property
    def name(self) -> str:
        return f"onto {self.domain.name}"

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart | None:
        found: RowPart | None = published(self.domain, d, dtype)
        return found

    def apply(self, x: Tensor, gamma: float, t: int) -> Tensor:
        return self.domain.project(x)

    def reach(self, d: int) -> float:
        return self.domain.radius(d)


def onto_domain(problem: Problem) -> Proximal:
    """The projection onto the ball that a problem's minimum is over; nothing where it has none."""
    return NoProximal() if problem.within == math.inf else Projection(Ball(problem.within))
