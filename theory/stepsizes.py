"""Stepsize rules that theorems prescribe: pure functions of the step number t = 0, 1, ..."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final


class Stepsize(ABC):
    """A rule t -> gamma_t [x^2 / f]."""

    @abstractmethod
    def __call__(self, t: int) -> float:
        """The stepsize of step t (counted from 0)."""

    @abstractmethod
    def __str__(self) -> str: ...


@final
@dataclass(frozen=True)
class ConstantStep(Stepsize):
    """gamma_t = gamma."""

    gamma: float

    def __post_init__(self) -> None:
        if not self.gamma > 0:
            raise ValueError(f"gamma must be positive, got gamma={self.gamma}")

    def __call__(self, t: int) -> float:
        return self.gamma

    def __str__(self) -> str:
        return f"gamma = {self.gamma:.4g}"


@final
@dataclass(frozen=True)
class InverseTimeStep(Stepsize):
    """gamma_t = scale / (shift + t)."""

    scale: float
    shift: float

    def __post_init__(self) -> None:
        if not (self.scale > 0 and self.shift > 0):
            raise ValueError(
                f"scale and shift must be positive, got scale={self.scale}, shift={self.shift}"
            )

    def __call__(self, t: int) -> float:
        return self.scale / (self.shift + t)

    def __str__(self) -> str:
        return f"gamma_t = {self.scale:.4g}/({self.shift:.4g} + t)"


@final
@dataclass(frozen=True)
class WarmUpStep(Stepsize):
    """gamma_t = rule(t) min(1, (t + 1) / length): a linear start (Goyal et al. 2017, 1706.02677).

    Raises:
        ValueError: length < 1.
    """

    rule: Stepsize
    length: int

    def __post_init__(self) -> None:
        if self.length < 1:
            raise ValueError(f"length must be at least 1 step, got length={self.length}")

    def __call__(self, t: int) -> float:
        return self.rule(t) * min(1.0, (t + 1) / self.length)

    def __str__(self) -> str:
        return f"{self.rule}, warmed up over {self.length} steps"
