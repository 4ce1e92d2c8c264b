"""Rules for the batch: by which whole factor the batch of step t = 0, 1, ... is enlarged."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import final


class BatchRule(ABC):
    """A rule t -> k_t, a whole number of base batches."""

    @abstractmethod
    def __call__(self, t: int) -> int:
        """The factor of step t (counted from 0)."""

    @abstractmethod
    def __str__(self) -> str: ...

    @property
    def least(self) -> int:
        """The smallest factor of all: no rule here shrinks the batch."""
        return self(0)


@final
@dataclass(frozen=True)
class FixedBatch(BatchRule):
    """k_t = factor.

    Raises:
        ValueError: factor < 1.
    """

    factor: int

    def __post_init__(self) -> None:
        _whole("factor", self.factor)

    def __call__(self, t: int) -> int:
        return self.factor

    def __str__(self) -> str:
        return f"batch x {self.factor}"


@final
@dataclass(frozen=True)
class StagedBatch(BatchRule):
    r"""k_t = first ratio^{\lfloor t / every \rfloor}, at most ``most``.

    Smith, Kindermans, Ying, Le 2018, arXiv:1711.00489: where a stepsize would be divided by
    ``ratio``, the batch is multiplied by it instead.

    Raises:
        ValueError: a number below 1, or ``most`` below ``first``.
    """

    every: int
    ratio: int = 2
    first: int = 1
    most: int = 64

    def __post_init__(self) -> None:
        for name in ("every", "ratio", "first"):
            _whole(name, getattr(self, name))
        _whole("most", self.most, self.first)

    def __call__(self, t: int) -> int:
        stages = min(t // self.every, self.most.bit_length() if self.ratio > 1 else 0)
        return min(self.first * int(self.ratio**stages), self.most)

    def __str__(self) -> str:
        return f"batch x {self.ratio} every {self.every} steps, from {self.first} to {self.most}"


@final
@dataclass(frozen=True)
class GeometricBatch(BatchRule):
    r"""B_{t+1} = \lfloor \rho B_t \rfloor, B_0 = first, at most ``most``.

    Yu, Jin 2019, arXiv:1905.04346, Algorithm 1. The floor is taken at every step, so a batch with
    (rho - 1) first < 1 would never grow.

    Raises:
        ValueError: rho <= 1, first < 1, (rho - 1) first < 1, or ``most`` below ``first``.
    """

    rho: float
    first: int = 2
    most: int = 1 << 20

    def __post_init__(self) -> None:
        _whole("first", self.first)
        _whole("most", self.most, self.first)
        if not 1 < self.rho < math.inf:
            raise ValueError(f"rho must exceed 1 and be finite, got rho={self.rho}")
        if math.floor(self.rho * self.first) == self.first:
            raise ValueError(
                f"first must be at least 1 / (rho - 1) for floor(rho first) to grow, got "
                f"first={self.first} with rho={self.rho}; first={math.ceil(1 / (self.rho - 1))} "
                "would do"
            )

    def __call__(self, t: int) -> int:
        return _grown(self.rho, self.first, self.most, t)

    def __str__(self) -> str:
        return f"batch x {self.rho:g} every step, from {self.first} to {self.most}"

    def rounds(self, samples: int) -> int:
        r"""Steps until the batches add up to more than ``samples``: O(log samples)."""
        total, t = 0, 0
        while total <= samples:
            total += self(t)
            t += 1
        return t


@final
@dataclass(frozen=True)
class SteadyBatch(BatchRule):
    r"""k_t = \lfloor first \cdot (last / first)^{t / (steps - 1)} \rfloor: growth that lasts a run.

    :class:`GeometricBatch` with ratio (last / first)^{1 / (steps - 1)}, floored once instead of at
    every step, where so small a ratio would never leave a small batch. After ``steps`` the batch
    stays. (Yu, Jin 2019, arXiv:1905.04346, Algorithm 1, for a number of rounds given beforehand.)

    Attributes:
        steps: rounds over which it grows.
        last: k of round steps - 1, in base batches.
        first: k of round 0.

    Raises:
        ValueError: steps < 1, first < 1, or ``last`` below ``first``.
    """

    steps: int
    last: int
    first: int = 1

    def __post_init__(self) -> None:
        _whole("steps", self.steps)
        _whole("first", self.first)
        _whole("last", self.last, self.first)

    def __call__(self, t: int) -> int:
        if t >= self.steps - 1:
            return self.last if self.steps > 1 else self.first
        grown = float(self.first * (self.last / self.first) ** (t / (self.steps - 1)))
        return min(math.floor(grown * (1 + 1e-12)), self.last)

    def __str__(self) -> str:
        return f"batch from {self.first} to {self.last}, growing for {self.steps} steps"


@lru_cache(maxsize=4096)
def _grown(rho: float, first: int, most: int, t: int) -> int:
    batch = first
    for _ in range(t):
        if batch == most:
            break
        batch = min(math.floor(rho * batch), most)
    return batch


def _whole(name: str, value: int, least: int = 1) -> None:
    if value < least:
        raise ValueError(f"{name} must be at least {least}, got {name}={value}")
