"""Regularisers r(x) of the linear models, with the constants that theorems ask of them."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, final

from torch import Tensor

from algorithms.kernels import linear_rows
from algorithms.problems.base import require_number


class Regulariser(ABC):
    """r(x), coordinate by coordinate; members are frozen dataclasses.

    Class attributes: ``name``, ``convex``. ``curvature`` is sup r'' (attained at x = 0) and
    ``strength`` a lower bound on r'' if positive, both [f / x^2]; ``slope`` is sup |r'| over one
    coordinate [f / x], infinite if unbounded.
    """

    name: str
    convex: bool
    lam: float

    def __post_init__(self) -> None:
        require_number("lam", self.lam)

    @property
    @abstractmethod
    def curvature(self) -> float: ...

    @property
    @abstractmethod
    def strength(self) -> float: ...

    @property
    @abstractmethod
    def slope(self) -> float: ...

    @abstractmethod
    def value(self, x: Tensor) -> Tensor:
        """r at points ``[..., d]``, shape ``[...]``."""

    @abstractmethod
    def gradient(self, x: Tensor) -> Tensor:
        """r' at each coordinate, shape of x."""

    def row_kernel(self) -> int | None:
        """Its number in ``kernels/linear_rows.py``; None: it is in none of the compiled loops."""
        return None

    def steepest(self, radius: float, d: int) -> float:
        r"""Bound on \|r'\| in the ball \|x\| <= ``radius`` of R^d [f / x]: by the slope, where that
        is infinite by the curvature (r'(0) = 0)."""
        if self.slope < math.inf:
            return math.sqrt(d) * self.slope
        return self.curvature * radius

    def data(self) -> dict[str, Any]:
        """JSON-ready description."""
        return {"kind": type(self).__name__, "lam": self.lam}


@final
@dataclass(frozen=True)
class L2(Regulariser):
    r"""r(x) = \frac{\lambda}{2} \|x\|^2.

    Attributes:
        lam: \lambda [f / x^2].

    Raises:
        ValueError: lam < 0 or not finite.
    """

    lam: float

    name = "l2"
    convex = True

    @property
    def curvature(self) -> float:
        return self.lam

    @property
    def strength(self) -> float:
        return self.lam

    @property
    def slope(self) -> float:
        return math.inf if self.lam > 0 else 0.0

    def value(self, x: Tensor) -> Tensor:
        return 0.5 * self.lam * x.square().sum(-1)

    def gradient(self, x: Tensor) -> Tensor:
        return self.lam * x

    def row_kernel(self) -> int:
        return linear_rows.L2


@final
@dataclass(frozen=True)
class BoundedNonconvex(Regulariser):
    r"""r(x) = \lambda \sum_j x_j^2 / (1 + x_j^2), not convex.

    r' = 2 \lambda x / (1 + x^2)^2 is largest at x = 1/sqrt(3): \lambda 3 sqrt(3) / 8;
    r'' = \lambda (2 - 6 x^2) / (1 + x^2)^3 lies in [-\lambda/2, 2 \lambda].

    Attributes:
        lam: \lambda, the weight of the regulariser [f].

    Raises:
        ValueError: lam < 0 or not finite.
    """

    lam: float

    name = "nonconvex"
    convex = False

    @property
    def curvature(self) -> float:
        return 2.0 * self.lam

    @property
    def strength(self) -> float:
        return 0.0

    @property
    def slope(self) -> float:
        return self.lam * 3.0 * math.sqrt(3.0) / 8.0

    def value(self, x: Tensor) -> Tensor:
        square = x.square()
        return self.lam * (square / (1.0 + square)).sum(-1)

    def gradient(self, x: Tensor) -> Tensor:
        return 2.0 * self.lam * x / (1.0 + x.square()).square()

    def row_kernel(self) -> int:
        return linear_rows.BOUNDED
