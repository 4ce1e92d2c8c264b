"""Parameters of communication sliding, for convex and for strongly convex functions."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

from algorithms.problems.base import require_number


class SlidingRule(ABC):
    """Parameters of the outer step k = 1, 2, ... and its inner steps i = 1, 2, ..., for ||W|| = 1.

    ``eta`` [f / x^2] and ``tau`` [x^2 / f] weigh the primal and the dual proximal term.
    """

    @abstractmethod
    def eta(self, k: int) -> float:
        """Weight of the primal proximal term in outer step k [f / x^2]."""

    @abstractmethod
    def tau(self, k: int) -> float:
        """Weight of the dual proximal term in outer step k [x^2 / f]."""

    @abstractmethod
    def alpha(self, k: int) -> float:
        """Extrapolation before the exchange."""

    @abstractmethod
    def beta(self, k: int, i: int) -> float:
        """Weight of the previous inner iterate."""

    @abstractmethod
    def inner_share(self, i: int) -> float:
        """Share of u_i in the weighted mean of u_1 .. u_i."""

    @abstractmethod
    def outer_share(self, k: int) -> float:
        """Share of the k-th mean in the output."""


@final
@dataclass(frozen=True)
class ConvexSliding(SlidingRule):
    r"""\eta = 2/\rho, \tau = \rho, \alpha_k = \theta_k = 1, \beta_i = i/2, \lambda_i = i + 1.

    (Lan, Lee, Zhou 2017, arXiv:1701.03961, the theorem for convex f_i, where \rho = 1/||L||; any
    ratio ``scale`` of primal to dual weight satisfies its conditions.)

    Raises:
        ValueError: scale not positive.
    """

    scale: float

    def __post_init__(self) -> None:
        require_number("scale", self.scale, strict=True)

    def eta(self, k: int) -> float:
        return 2 / self.scale

    def tau(self, k: int) -> float:
        return self.scale

    def alpha(self, k: int) -> float:
        return 1.0

    def beta(self, k: int, i: int) -> float:
        return i / 2

    def inner_share(self, i: int) -> float:
        return 2 * (i + 1) / (i * (i + 3))

    def outer_share(self, k: int) -> float:
        return 1 / k


@final
@dataclass(frozen=True)
class StronglyConvexSliding(SlidingRule):
    r"""\eta_k = k\mu/2, \tau_k = 4/((k+1)\mu), \alpha_k = k/(k+1), \theta_k = k + 1,
    \beta_i = (i+1)\mu/(2\eta_k) + (i-1)/2, \lambda_i = i.

    (Lan, Lee, Zhou 2017, arXiv:1701.03961, the theorem for strongly convex f_i.)

    Raises:
        ValueError: mu not positive.
    """

    mu: float

    def __post_init__(self) -> None:
        require_number("mu", self.mu, strict=True)

    def eta(self, k: int) -> float:
        return k * self.mu / 2

    def tau(self, k: int) -> float:
        return 4 / ((k + 1) * self.mu)

    def alpha(self, k: int) -> float:
        return k / (k + 1)

    def beta(self, k: int, i: int) -> float:
        return (i + 1) * self.mu / (2 * self.eta(k)) + (i - 1) / 2

    def inner_share(self, i: int) -> float:
        return 2 / (i + 1)

    def outer_share(self, k: int) -> float:
        return 2 * (k + 1) / (k * (k + 3))
