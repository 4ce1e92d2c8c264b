"""Tilted double wells: a non-convex problem whose minima and saddles are known in closed form."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import torch
from torch import Tensor

from algorithms.core.key import Draws
from algorithms.kernels import problem_rows
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.problems.base import exact, require_finite, require_number
from algorithms.problems.entry import ProblemEntry
from algorithms.problems.spectra import offsets
from algorithms.problems.tensor_problem import TensorProblem
from theory.constants import Constants

NAME = "nonconvex-wells"
RADIUS = 2.0
"""Beyond it a well goes on as the parabola that fits it there: f is smooth on all of R^d."""

TILT = 0.5
"""Where a well's hump lies; the well at -1 is the deeper one by 4/3 of it."""


@final
@dataclass(frozen=True, eq=False)
class DoubleWell(TensorProblem):
    r"""f_i(x) = \sum_j \phi(x_j) + b_i^T x, \phi'(t) = (t^2 - 1)(t - a), 0 < a < 1, mean of b_i 0.

    f has the 3^d stationary points with entries -1, a and 1: 2^d minima, those with entries -1 and
    1, of which only (-1, ..., -1) is global, and saddles wherever an entry is a (a maximum where
    all are). A minimum with k entries 1 lies k 4a/3 above the global one. For abs(t) >
    :data:`RADIUS`, phi is its own parabola there. ``b`` is ``[n, d]``, ``x0`` ``[d]``; noise
    is normal with E||noise||^2 = ``sigma2`` [f^2 / x^2]. The problem is ours.

    Attributes:
        name: what reports call it.
        tilt: a.

    Raises:
        ValueError: shapes that do not fit, entries that are not finite, offsets whose mean is not
            0, a outside (0, 1), sigma2 < 0.
    """

    name: str
    b: Tensor
    x0: Tensor
    tilt: float = TILT
    sigma2: float = 0.0

    rowwise = mean_rowwise = True

    def __post_init__(self) -> None:
        if self.b.ndim != 2 or self.x0.shape != self.b.shape[1:]:
            raise ValueError(
                f"b must be [n, d] and x0 [d], got b of shape {tuple(self.b.shape)} and x0 of "
                f"shape {tuple(self.x0.shape)}"
            )
        require_finite("b", self.b)
        require_finite("x0", self.x0)
        rounding = max(1e-12, 4 * torch.finfo(self.b.dtype).eps)
        if float(self.b.mean(0).abs().max()) > rounding * (1 + float(self.b.abs().max())):
            raise ValueError(f"b must have mean 0 over workers, got {self.b.mean(0).tolist()}")
        if not 0 < self.tilt < 1:
            raise ValueError(f"tilt must lie in (0, 1), got tilt={self.tilt}")
        require_number("sigma2", self.sigma2)

    @property
    def tensor(self) -> Tensor:
        return self.b

    @cached_property
    def x_star(self) -> Tensor:
        return torch.full_like(self.x0, -1.0)

    @property
    def f_star(self) -> float:
        return self.d * (-0.25 - 2 * self.tilt / 3)

    def start(self) -> Tensor:
        return self.x0

    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        g = self.full_gradient(x, draws.workers)
        if self.sigma2 == 0:
            return g
        return g.add(draws.normal(self.d, self.dtype), alpha=math.sqrt(self.sigma2 / self.d))

    def full_row_kernel(self) -> RowPart:
        return self._part(0.0)

    def row_kernel(self) -> RowPart:
        return self._part(math.sqrt(self.sigma2 / self.d))

    def _part(self, deviation: float) -> RowPart:
        shape = [-RADIUS, RADIUS, self.tilt, 2 * self.tilt, deviation]
        fused = (problem_rows.adds_fused(),)
        packed = numbers(self.dtype, self.b, torch.tensor(shape, dtype=self.dtype), ints=fused)
        return RowPart(problem_rows.wells, packed, deviation > 0, 16 * self.d)

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        return self.mean_gradient(x) + self.b[workers]

    def mean_gradient(self, x: Tensor) -> Tensor:
        t = x.clamp(-RADIUS, RADIUS)
        return (t.square() - 1) * (t - self.tilt) + self._curvature(t) * (x - t)

    def value(self, x: Tensor) -> Tensor:
        t = x.clamp(-RADIUS, RADIUS)
        a, u = self.tilt, x - t
        inside = t**4 / 4 - a * t**3 / 3 - t.square() / 2 + a * t
        slope = (t.square() - 1) * (t - a)
        return (inside + slope * u + self._curvature(t) * u.square() / 2).sum(-1)

    def _curvature(self, t: Tensor) -> Tensor:
        return 3 * t.square() - 2 * self.tilt * t - 1

    def noise(self, x: Tensor) -> Tensor:
        return torch.full((*x.shape[:-1], self.n), self.sigma2, dtype=x.dtype, device=x.device)

    def resampled(self, factor: int) -> DoubleWell:
        """Noise of variance sigma2 / factor."""
        return replace(self, sigma2=self.sigma2 / factor)

    @cached_property
    def _constants(self) -> Constants:
        largest = 3 * RADIUS**2 + 2 * self.tilt * RADIUS - 1
        zeta2 = self.b.double().square().sum(-1).mean().item()
        c = Constants().state(exact("by construction"), n=self.n, d=self.d, convex=False)
        c = c.state(exact("curvature at -RADIUS and beyond"), L=largest, L_max=largest)
        c = c.state(exact("by construction"), sigma2=self.sigma2)
        c = c.state(exact("mean square of the offsets"), zeta2=zeta2, zeta2_star=zeta2)
        start = self.x0.double()
        gap = self.value(start).item() - self.f_star
        c = c.state(exact("closed form"), f_star=self.f_star)
        c = c.state(exact("closed form", "x_0"), initial_gap=gap)
        return c.state(
            exact("to the global minimiser", "x_0"), R2=(start + 1).square().sum().item()
        )

    @cached_property
    def _data(self) -> dict[str, Any]:
        return self.described("wells", self.b, self.x0, tilt=self.tilt, sigma2=self.sigma2)


def wells(n: int, d: int = 10, *, sigma2: float = 1.0, zeta2: float = 1.0) -> DoubleWell:
    """a = 1/2; x_0 = (0, 3/4, 0, 3/4, ...): on either side of the humps, and of every basin.

    Gradient descent without noise falls into the local minimum with every second entry 1, each
    2/3 above the global one.
    """
    start = torch.tensor([0.0, 0.75], dtype=torch.float64).repeat(d)[:d]
    b = offsets(n, torch.ones(d, dtype=torch.float64), zeta2 if n > 1 else 0.0, seed=0)
    return DoubleWell(NAME, b, start, sigma2=sigma2)


ENTRIES = (
    ProblemEntry(
        NAME,
        "double wells in ten coordinates: 1024 minima, one of them global, and saddles between",
        wells,
    ),
)
