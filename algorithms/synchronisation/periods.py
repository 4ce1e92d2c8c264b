"""Periods: after which steps the workers of local SGD meet."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

from algorithms.problems.base import require_int, require_number


class Periods(ABC):
    """A fixed list of meetings, known to all in advance; members are frozen dataclasses."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    @property
    @abstractmethod
    def longest(self) -> int | None:
        """The most steps between two meetings; None where they grow without end."""

    @abstractmethod
    def meets(self, t: int) -> bool:
        """Whether the workers meet after step t (t = 0, 1, ...)."""


_ROUNDING = 1e-12  # relative, of a growth that no floating number is


@final
@dataclass(frozen=True)
class FixedPeriod(Periods):
    """After every H = ``period`` steps. (Stich 2019, arXiv:1805.09767, Algorithm 1.)

    Raises:
        ValueError: period < 1.
    """

    period: int

    def __post_init__(self) -> None:
        if self.period < 1:
            raise ValueError(f"period must be at least 1 local step, got period={self.period}")

    @property
    def name(self) -> str:
        return f"H={self.period}"

    @property
    def longest(self) -> int:
        return self.period

    def meets(self, t: int) -> bool:
        return (t + 1) % self.period == 0


@final
@dataclass(frozen=True)
class OneShot(Periods):
    """After the last of ``steps`` steps only, and not again. (Zinkevich et al. 2010.)

    Raises:
        ValueError: steps < 1.
    """

    steps: int

    def __post_init__(self) -> None:
        require_int("steps", self.steps, 1)

    @property
    def name(self) -> str:
        return f"once, T={self.steps}"

    @property
    def longest(self) -> int:
        return self.steps

    def meets(self, t: int) -> bool:
        return t + 1 == self.steps


@final
@dataclass(frozen=True)
class PostLocal(Periods):
    """After every step of the first ``switch``, then after every ``period`` steps.

    (Lin, Stich, Patel, Jaggi 2018, arXiv:1808.07217, Algorithm 2.)

    Raises:
        ValueError: switch < 0 or period < 1.
    """

    switch: int
    period: int

    def __post_init__(self) -> None:
        require_int("switch", self.switch, 0)
        require_int("period", self.period, 1)

    @property
    def name(self) -> str:
        return f"H=1 for {self.switch} steps, then H={self.period}"

    @property
    def longest(self) -> int:
        return self.period

    def meets(self, t: int) -> bool:
        return t < self.switch or (t + 1 - self.switch) % self.period == 0


@final
@dataclass(frozen=True)
class GrowingPeriod(Periods):
    r"""Period l is \lfloor(1 + l a) \tau_0\rfloor, l = 0, 1, ...: ``first`` tau_0, ``growth`` a.

    No longer than ``most`` where that is given. A growth of 4/3 is one, though no floating number
    is 4/3. (ADA-LUPA-SGD: Haddadpour, Kamani, Mahdavi,
    Cadambe 2019, arXiv:1910.13598, whose periods never fall.)

    Raises:
        ValueError: first < 1, growth < 0 or most < first.
    """

    first: int
    growth: float
    most: int | None = None

    def __post_init__(self) -> None:
        require_int("first", self.first, 1)
        require_number("growth", self.growth)
        if self.most is not None:
            require_int("most", self.most, self.first)

    @property
    def name(self) -> str:
        limit = "" if self.most is None else f", at most {self.most}"
        return f"H={self.first} growing by {self.growth:g} of it a round{limit}"

    @property
    def longest(self) -> int | None:
        return self.first if self.growth == 0 else self.most

    def length(self, number: int) -> int:
        """Steps of round ``number`` = 0, 1, ..."""
        grown = int((1 + number * self.growth) * self.first * (1 + _ROUNDING))
        return grown if self.most is None else min(grown, self.most)

    def meets(self, t: int) -> bool:
        end = number = 0
        while end < t + 1:
            end += self.length(number)
            number += 1
        return end == t + 1


@final
@dataclass(frozen=True)
class ListedPeriods(Periods):
    """Periods one after another as given; the last is repeated.

    Attributes:
        lengths: the periods, in steps.

    Raises:
        ValueError: no lengths, or one below 1.
    """

    lengths: tuple[int, ...]

    def __post_init__(self) -> None:
        if not self.lengths:
            raise ValueError("lengths must hold at least one period, got none")
        for k, length in enumerate(self.lengths):
            require_int(f"lengths[{k}]", length, 1)

    @property
    def name(self) -> str:
        return f"H={', '.join(map(str, self.lengths))}, ..."

    @property
    def longest(self) -> int:
        return max(self.lengths)

    def meets(self, t: int) -> bool:
        end = 0
        for length in self.lengths:
            end += length
            if end >= t + 1:
                return end == t + 1
        return (t + 1 - end) % self.lengths[-1] == 0
