"""The same objective over more workers: copies of its workers, each with noise of its own.

Where a data set is dealt to more workers, shards shrink, and L_max, sigma2 and zeta2 change with n;
an order in n has them fixed. Copies leave f, x* and all constants but n as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, fields, is_dataclass, replace
from typing import Any, final

import torch
from torch import Tensor

from algorithms.core.key import Draws
from algorithms.problems.base import Problem
from theory.constants import Constants


@final
@dataclass(frozen=True, eq=False)
class RepeatedWorkers(Problem):
    """Worker i of ``whole`` has the objective of worker i mod ``base.n``.

    What is asked of the mean over workers is asked of ``base``, whose mean is the same.

    Attributes:
        base: the problem that is copied.
        whole: the problem of all workers, which draws their gradients.
    """

    base: Problem
    whole: Problem

    def __getattr__(self, name: str) -> Any:
        if name in ("base", "whole") or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.base, name)

    @property
    def n(self) -> int:
        return self.whole.n

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return self.base.shapes

    @property
    def G2_radius(self) -> float:
        return self.base.G2_radius

    def start(self) -> Tensor:
        return self.base.start()

    def constants(self) -> Constants:
        return self.base.constants().state(n=self.n)

    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        return self.whole.gradient(x, draws)

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        return self.whole.full_gradient(x, workers)

    def proximal_point(self, v: Tensor, weight: Tensor, workers: Tensor, start: Tensor) -> Tensor:
        return self.whole.proximal_point(v, weight, workers, start)

    def tilted_minimum(self, y: Tensor, workers: Tensor, start: Tensor) -> Tensor | None:
        return self.whole.tilted_minimum(y, workers, start)

    def value(self, x: Tensor) -> Tensor:
        return self.base.value(x)

    def mean_gradient(self, x: Tensor) -> Tensor:
        return self.base.mean_gradient(x)

    def lipschitz(self, radius: float = float("inf")) -> float:
        return self.base.lipschitz(radius)

    def largest_entry(self, radius: float = float("inf")) -> float:
        return self.base.largest_entry(radius)

    def kinks(self, x: Tensor) -> Tensor:
        return self.base.kinks(x)

    def noise(self, x: Tensor) -> Tensor:
        one = self.base.noise(x)
        return one.repeat(*(1,) * (one.ndim - 1), self.n // self.base.n)

    def data(self) -> Any:
        return {"copies": self.n // self.base.n, "of": self.base.data()}

    def double(self) -> RepeatedWorkers:
        return RepeatedWorkers(self.base.double(), self.whole.double())

    def resampled(self, factor: int) -> RepeatedWorkers:
        return RepeatedWorkers(self.base.resampled(factor), self.whole.resampled(factor))


def copies(base: Problem, times: int) -> Problem:
    """``base`` with ``times`` as many workers; itself for one time.

    Raises:
        ValueError: times < 1, or a problem whose data are not tensors by worker.
    """
    if times < 1:
        raise ValueError(f"times must be at least 1, got times={times}")
    if times == 1:
        return base
    rows = _by_worker(base)
    if not rows:
        raise ValueError(f"{base.name} holds no tensor [n, ...] that could be repeated")
    repeated = {name: torch.cat((one,) * times) for name, one in rows.items()}
    return RepeatedWorkers(base, replace(base, **repeated))  # type: ignore[type-var]


def _by_worker(problem: Problem) -> dict[str, Tensor]:
    """Tensors of its fields that have a row, or more, for every worker."""
    if not is_dataclass(problem):
        return {}
    found = {field.name: getattr(problem, field.name) for field in fields(problem)}
    return {
        name: one
        for name, one in found.items()
        if isinstance(one, Tensor) and one.ndim > 1 and len(one) == problem.n
    }
