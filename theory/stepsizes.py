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
    """The same stepsize at every step: gamma_t = gamma.

    Raises:
        ValueError: gamma not positive.
    """

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
    """gamma_t = scale / (shift + t).

    Raises:
        ValueError: scale or shift not positive.
    """

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
class InverseRootStep(Stepsize):
    """gamma_t = scale / sqrt(t + 1).

    Raises:
        ValueError: scale is not positive.
    """

    scale: float

    def __post_init__(self) -> None:
        if not self.scale > 0:
            raise ValueError(f"scale must be positive, got scale={self.scale}")

    def __call__(self, t: int) -> float:
        return float(self.scale / (t + 1) ** 0.5)

    def __str__(self) -> str:
        return f"gamma_t = {self.scale:.4g}/sqrt(t + 1)"


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


@final
@dataclass(frozen=True)
class ScaledStep(Stepsize):
    r"""gamma_t = factor^power rule(t): the stepsize for a batch ``factor`` times as large.

    power 1 is the linear rule (Goyal et al. 2017, 1706.02677; Krizhevsky 2014, 1404.5997), which
    keeps gamma/B; power 1/2 the square-root rule (Krizhevsky 2014; Hoffer, Hubara, Soudry 2017,
    1705.08741), which keeps Cov(gamma g) = gamma^2 sigma^2 / B.

    Raises:
        ValueError: factor is not positive.
    """

    rule: Stepsize
    factor: float
    power: float = 1.0

    def __post_init__(self) -> None:
        if not self.factor > 0:
            raise ValueError(f"factor must be positive, got factor={self.factor}")

    def __call__(self, t: int) -> float:
        return self.rule(t) * float(self.factor**self.power)

    def __str__(self) -> str:
        return f"{self.rule}, times {self.factor:g}^{self.power:g}"


@final
@dataclass(frozen=True)
class GradualWarmUpStep(Stepsize):
    r"""gamma_t = rule(t) (1 + (k - 1) \min(1, t / length)): from the base stepsize to k times it.

    Goyal et al. 2017, 1706.02677, section 2.2: it starts at what is right for the base batch and
    grows by a constant amount a step, over 5 epochs.

    Attributes:
        rule: the base stepsizes [x^2 / f].
        factor: k.

    Raises:
        ValueError: length < 1 or factor < 1.
    """

    rule: Stepsize
    factor: float
    length: int

    def __post_init__(self) -> None:
        if self.length < 1:
            raise ValueError(f"length must be at least 1 step, got length={self.length}")
        if not self.factor >= 1:
            raise ValueError(f"factor must be at least 1, got factor={self.factor}")

    def __call__(self, t: int) -> float:
        return self.rule(t) * (1.0 + (self.factor - 1.0) * min(1.0, t / self.length))

    def __str__(self) -> str:
        return f"{self.rule}, to {self.factor:g} times it over {self.length} steps"


@final
@dataclass(frozen=True)
class StepDecay(Stepsize):
    r"""gamma_t = rule(t) / ratio^{\lfloor t / every \rfloor}, at most ``times`` times.

    Raises:
        ValueError: every < 1, ratio < 1 or times < 0.
    """

    rule: Stepsize
    every: int
    ratio: float = 2.0
    times: int = 6

    def __post_init__(self) -> None:
        if self.every < 1:
            raise ValueError(f"every must be at least 1 step, got every={self.every}")
        if not self.ratio >= 1:
            raise ValueError(f"ratio must be at least 1, got ratio={self.ratio}")
        if self.times < 0:
            raise ValueError(f"times must be at least 0, got times={self.times}")

    def __call__(self, t: int) -> float:
        return self.rule(t) / float(self.ratio ** min(t // self.every, self.times))

    def __str__(self) -> str:
        return f"{self.rule}, divided by {self.ratio:g} every {self.every} steps"


@final
@dataclass(frozen=True)
class PolynomialStep(Stepsize):
    r"""gamma_t = rule(t) (1 - t / length)^{power}: to zero over a run of ``length`` steps.

    power 2 with LARS (You, Gitman, Ginsburg 2017, 1708.03888, Section 5), power 1 with LAMB (You et
    al. 2020, 1904.00962, Section 4). From step ``length`` on it is what it was last.

    Attributes:
        rule: the stepsizes that decay [x^2 / f].

    Raises:
        ValueError: length < 1 or power < 0.
    """

    rule: Stepsize
    length: int
    power: float = 1.0

    def __post_init__(self) -> None:
        if self.length < 1:
            raise ValueError(f"length must be at least 1 step, got length={self.length}")
        if not self.power >= 0:
            raise ValueError(f"power must be at least 0, got power={self.power}")

    def __call__(self, t: int) -> float:
        left = max(1, self.length - t) / self.length
        return self.rule(t) * float(left**self.power)

    def __str__(self) -> str:
        return f"{self.rule}, times (1 - t/{self.length})^{self.power:g}"


def legw(rule: Stepsize, factor: float, epochs: float, epoch_steps: float) -> WarmUpStep:
    r"""LEGW: batch times k, peak stepsize times sqrt(k), warm-up *epochs* times k.

    An epoch takes ``epoch_steps`` steps of the base batch, epoch_steps / k of the large one, so the
    warm-up lasts as many steps for every k. (You et al. 2019, 1901.08433.)

    Raises:
        ValueError: factor is not positive, or the warm-up lasts less than a step.
    """
    length = round(epochs * factor * (epoch_steps / factor))
    return WarmUpStep(ScaledStep(rule, factor, 0.5), length)
