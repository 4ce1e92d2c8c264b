r"""Age rules: what a server makes of a gradient at a model of so many steps ago.

The age of a gradient is the number of steps that the server has taken since it gave out the model
that the gradient is of. What is dropped is no step, and no part of one.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor


class AgeRule(ABC):
    """Rule of one arrival; members are frozen dataclasses."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    @property
    def oldest(self) -> float:
        """Least age [server steps] at which a gradient is dropped; infinite: none is."""
        return math.inf

    @abstractmethod
    def factors(self, age: Tensor, gamma: float, n: int) -> Tensor:
        """Factors ``[...]`` (float64) of gradients of ``age`` ``[...]`` (int64) from n workers, at
        the stepsize gamma [x^2 / f]; those of what is dropped are not read."""

    @final
    def takes(self, age: Tensor) -> Tensor:
        """Mask ``[...]``: which of gradients of ``age`` ``[...]`` count."""
        return age < self.oldest


@final
@dataclass(frozen=True)
class Younger(AgeRule):
    """Gradients of less than ``oldest`` steps count, all alike; older ones are dropped.

    1: of the current model alone (Rennala, Malenia); R: Ringmaster's threshold; infinite: all,
    asynchronous SGD.

    Attributes:
        oldest: least age that is dropped [server steps].

    Raises:
        ValueError: oldest < 1: nothing would count.
    """

    oldest: float = math.inf

    def __post_init__(self) -> None:
        if not self.oldest >= 1:
            raise ValueError(f"oldest must be at least 1 step, got oldest={self.oldest}")

    @property
    def name(self) -> str:
        return f"younger than {self.oldest:g}" if self.oldest < math.inf else "whatever its age"

    def factors(self, age: Tensor, gamma: float, n: int) -> Tensor:
        return torch.ones_like(age, dtype=torch.float64)


@final
@dataclass(frozen=True)
class DelayAdaptive(AgeRule):
    r"""\gamma up to an age of n, the number of workers, and \min(\gamma, 1/(4 L d)) at older d.

    (Koloskova, Stich, Jaggi 2022, arXiv:2206.08177, Section 4; the same idea in Mishchenko, Bach,
    Even, Woodworth 2022, arXiv:2206.07638.)

    Attributes:
        smoothness: L [f / x^2].

    Raises:
        ValueError: L is not positive and finite.
    """

    smoothness: float

    def __post_init__(self) -> None:
        if not 0 < self.smoothness < math.inf:
            raise ValueError(
                f"smoothness must be positive and finite, got smoothness={self.smoothness}"
            )

    @property
    def name(self) -> str:
        return f"delay-adaptive(L={self.smoothness:g})"

    def factors(self, age: Tensor, gamma: float, n: int) -> Tensor:
        old = age.to(torch.float64).clamp_min(1)
        most = 1 / (4 * self.smoothness * old) / gamma
        return torch.where(age <= n, 1.0, most.clamp_max(1.0))


@final
@dataclass(frozen=True)
class Polynomial(AgeRule):
    r"""s(d) = (1 + d)^{-a} at age d (Xie, Koyejo, Gupta 2019, arXiv:1903.03934, Section 5.2).

    Attributes:
        power: a; 1/2 in FedBuff.

    Raises:
        ValueError: power is negative or not finite.
    """

    power: float = 0.5

    def __post_init__(self) -> None:
        if not 0 <= self.power < math.inf:
            raise ValueError(f"power must be finite and at least 0, got power={self.power}")

    @property
    def name(self) -> str:
        return f"(1 + age)^-{self.power:g}"

    def factors(self, age: Tensor, gamma: float, n: int) -> Tensor:
        return (1 + age.to(torch.float64)) ** -self.power
