"""A problem that states other constants than its own, and is otherwise the same."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from torch import Tensor

from algorithms.core.key import Draws
from algorithms.problems.base import Problem
from theory.constants import Constants


@dataclass(frozen=True, eq=False)
class StatedProblem(Problem):
    """``inner``, of which ``stated`` is said; what else is asked is asked of ``inner``.

    (The caller's own statements.)

    Attributes:
        inner: the problem that computes.
        stated: the constants in the place of its own.
        noise_share: noise(x) is told this many times as large as it is.
    """

    inner: Problem
    stated: Constants
    noise_share: float = 1.0

    def __getattr__(self, name: str) -> Any:
        if name in ("inner", "stated") or name.startswith("__"):
            raise AttributeError(name)
        return getattr(self.inner, name)

    @property
    def G2_radius(self) -> float:
        return self.inner.G2_radius

    @property
    def shapes(self) -> tuple[tuple[int, ...], ...]:
        return self.inner.shapes

    def start(self) -> Tensor:
        return self.inner.start()

    def constants(self) -> Constants:
        return self.stated

    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        return self.inner.gradient(x, draws)

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        return self.inner.full_gradient(x, workers)

    def proximal_point(self, v: Tensor, weight: Tensor, workers: Tensor, start: Tensor) -> Tensor:
        return self.inner.proximal_point(v, weight, workers, start)

    def tilted_minimum(self, y: Tensor, workers: Tensor, start: Tensor) -> Tensor | None:
        return self.inner.tilted_minimum(y, workers, start)

    def value(self, x: Tensor) -> Tensor:
        return self.inner.value(x)

    def mean_gradient(self, x: Tensor) -> Tensor:
        return self.inner.mean_gradient(x)

    def lipschitz(self, radius: float = float("inf")) -> float:
        return self.inner.lipschitz(radius)

    def largest_entry(self, radius: float = float("inf")) -> float:
        return self.inner.largest_entry(radius)

    def kinks(self, x: Tensor) -> Tensor:
        return self.inner.kinks(x)

    def noise(self, x: Tensor) -> Tensor:
        return self.noise_share * self.inner.noise(x)

    def data(self) -> Any:
        return self.inner.data()

    def double(self) -> StatedProblem:
        return StatedProblem(self.inner.double(), self.stated, self.noise_share)

    def resampled(self, factor: int) -> StatedProblem:
        fewer = self.stated
        if fewer.sigma2 is not None:
            fewer = fewer.state(fewer.statements.get("sigma2"), sigma2=fewer.sigma2 / factor)
        return StatedProblem(self.inner.enlarged(factor), fewer, self.noise_share)
