"""Models of compute times, with one parameter for all workers or one for each."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import numpy as np
import torch
from torch import Tensor

from algorithms.core.key import Draws, SideBySide
from algorithms.synchronisation.base import ComputeTimes

Mean = float | tuple[float, ...]
"""Seconds per gradient: one number for all workers, or one for each worker id."""


@dataclass(frozen=True)
class WithMean(ComputeTimes):
    """Times with a given mean.

    Attributes:
        mean: seconds per gradient, one number for all workers or one for each.

    Raises:
        ValueError: a mean that is not positive and finite.
    """

    mean: Mean = 1.0

    def __post_init__(self) -> None:
        _check(self.mean)


@final
@dataclass(frozen=True)
class Constant(WithMean):
    """Every gradient of worker i takes exactly its mean [seconds].

    Raises:
        ValueError: a mean that is not positive and finite.
    """

    @property
    def name(self) -> str:
        return f"constant({_text(self.mean)} s)"

    def seconds(self, draws: Draws, count: int, first: int = 0) -> Tensor:
        mean = _of_workers(self.mean, draws.workers)
        return mean.expand(*draws.workers.shape, count)


@final
@dataclass(frozen=True)
class Exponential(WithMean):
    r"""Times of worker i are independent, exponential with its mean [seconds]: $-m_i \ln(1 - U)$.

    Arrivals are then a Poisson process: each tick brings worker i with probability
    $(1/m_i) / \sum_j 1/m_j$, independently of the past.

    Raises:
        ValueError: a mean that is not positive and finite.
    """

    @property
    def name(self) -> str:
        return f"exponential({_text(self.mean)} s)"

    @property
    def shuffles(self) -> bool:
        return not isinstance(self.mean, tuple)

    def seconds(self, draws: Draws, count: int, first: int = 0) -> Tensor:
        # numpy's log1p gives a number the same bits at every place of an array; torch's does not
        log = np.log1p(-draws.uniform(count, torch.float64).numpy())
        return -torch.from_numpy(log) * _of_workers(self.mean, draws.workers)

    def seconds_of_steps(self, draws: Draws, word: str, steps: range, count: int = 1) -> Tensor:
        return self.seconds(SideBySide(draws, word, steps), count).movedim(-2, 0)


@final
@dataclass(frozen=True)
class ShiftedExponential(ComputeTimes):
    r"""A least time and an exponential rest: $s_i - m_i \ln(1 - U)$ [seconds], mean s_i + m_i.

    (The straggler model of Lee et al. 2018, arXiv:1512.02673, Section III.)

    Attributes:
        shift: s_i, one number for all workers or one for each [seconds].
        rest: m_i, likewise [seconds].

    Raises:
        ValueError: a shift or a mean of the rest that is not positive and finite.
    """

    shift: Mean = 0.5
    rest: Mean = 0.5

    def __post_init__(self) -> None:
        _check(self.shift, "shift")
        _check(self.rest, "rest")

    @property
    def name(self) -> str:
        return f"shifted exponential({_text(self.shift)} + {_text(self.rest)} s)"

    @property
    def shuffles(self) -> bool:
        return not isinstance(self.shift, tuple) and not isinstance(self.rest, tuple)

    def seconds(self, draws: Draws, count: int, first: int = 0) -> Tensor:
        return Exponential(self.rest).seconds(draws, count) + _of_workers(self.shift, draws.workers)

    def seconds_of_steps(self, draws: Draws, word: str, steps: range, count: int = 1) -> Tensor:
        return self.seconds(SideBySide(draws, word, steps), count).movedim(-2, 0)


@final
@dataclass(frozen=True)
class Pareto(WithMean):
    r"""Heavy-tailed: $m_i (1 - 1/a) (1 - U)^{-1/a}$ [seconds], mean m_i, tail index a = ``tail``.

    The variance is infinite for a <= 2.

    Raises:
        ValueError: a mean that is not positive and finite, or tail <= 1 (no mean).
    """

    tail: float = 2.0

    def __post_init__(self) -> None:
        super().__post_init__()
        if not (1.0 < self.tail < math.inf):
            raise ValueError(f"tail must be finite and above 1, got tail={self.tail}")

    @property
    def name(self) -> str:
        return f"Pareto({_text(self.mean)} s, tail {self.tail:g})"

    @property
    def shuffles(self) -> bool:
        return not isinstance(self.mean, tuple)

    def seconds(self, draws: Draws, count: int, first: int = 0) -> Tensor:
        log = np.log1p(-draws.uniform(count, torch.float64).numpy())
        times = torch.from_numpy(np.exp(-log / self.tail)) * (1 - 1 / self.tail)
        return times * _of_workers(self.mean, draws.workers)


def _check(mean: Mean, name: str = "mean") -> None:
    values = mean if isinstance(mean, tuple) else (mean,)
    for i, value in enumerate(values):
        if not (0.0 < value < math.inf):
            which = f"{name}[{i}]" if isinstance(mean, tuple) else name
            raise ValueError(f"{which} must be positive and finite [seconds], got {value}")
    if not values:
        raise ValueError(f"{name} must hold one number per worker, got none")


def _of_workers(mean: Mean, workers: Tensor) -> Tensor:
    """Means ``[..., m, 1]`` of worker ids ``[..., m]``."""
    if not isinstance(mean, tuple):
        return torch.full((*workers.shape, 1), mean, dtype=torch.float64, device=workers.device)
    most = int(workers.max())
    if most >= len(mean):
        raise ValueError(
            f"mean must hold a number for every worker, got {len(mean)} for {most + 1} workers"
        )
    return torch.tensor(mean, dtype=torch.float64, device=workers.device)[workers][..., None]


def _text(mean: Mean) -> str:
    return f"{mean:g}" if not isinstance(mean, tuple) else ", ".join(f"{m:g}" for m in mean)
