"""Quadratics whose workers may curve downward while their mean curves upward."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import torch
from torch import Tensor

from algorithms.kernels import problem_rows
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.problems.base import exact, require_finite
from algorithms.problems.entry import ProblemEntry
from algorithms.problems.tensor_problem import Noiseless, TensorProblem
from theory.constants import Constants

_D = 20  # parameters of the catalogue's


@final
@dataclass(frozen=True, eq=False)
class MixedCurvature(Noiseless, TensorProblem):
    r"""f_i(x) = \frac12 \sum_j a_{ij} x_j^2 - c_{ij} x_j, a_{ij} of any sign, \bar a_j > 0.

    ``a`` and ``c`` are ``[n, d]``, ``x0`` ``[d]``. f is strongly convex although f_i may be
    unbounded below: heterogeneity grows with ||x||, so local steps alone run away and only
    communication holds the workers. f is shifted so that its minimum is 0.
    The problem is ours.

    Attributes:
        name: what reports call it.

    Raises:
        ValueError: shapes that do not fit, entries that are not finite, a mean curvature <= 0.
    """

    name: str
    a: Tensor
    c: Tensor
    x0: Tensor

    rowwise = mean_rowwise = value_rowwise = True

    def __post_init__(self) -> None:
        if self.a.ndim != 2 or self.c.shape != self.a.shape or self.x0.shape != self.a.shape[1:]:
            raise ValueError(
                f"a and c must be [n, d] and x0 [d], got a of shape {tuple(self.a.shape)}, "
                f"c {tuple(self.c.shape)}, x0 {tuple(self.x0.shape)}"
            )
        for name, array in (("a", self.a), ("c", self.c), ("x0", self.x0)):
            require_finite(name, array)
        if not bool((self.a.mean(0) > 0).all()):
            least = self.a.mean(0).min().item()
            raise ValueError(
                f"a must have a positive mean over workers in every coordinate, got {least:g}; "
                "f has no minimum otherwise"
            )

    @property
    def tensor(self) -> Tensor:
        return self.a

    @cached_property
    def _mean(self) -> Tensor:
        return self.a.mean(0)

    @cached_property
    def x_star(self) -> Tensor:
        return self.c.mean(0) / self._mean

    @property
    def f_star(self) -> float:
        return 0.0

    def start(self) -> Tensor:
        return self.x0

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        return self.a[workers] * x - self.c[workers]

    def full_row_kernel(self) -> RowPart:
        return self.row_kernel()

    def row_kernel(self) -> RowPart:
        packed = numbers(self.dtype, self.a, self.c, 0.0, ints=(self.n, 0, 0))
        return RowPart(problem_rows.quadratic, packed, draws=False, work=self.d)

    def value(self, x: Tensor) -> Tensor:
        return (0.5 * self._mean * (x - self.x_star).square()).sum(-1)

    def mean_gradient(self, x: Tensor) -> Tensor:
        return self._mean * (x - self.x_star)

    @cached_property
    def _constants(self) -> Constants:
        mean, offset = self._mean, self.x0 - self.x_star
        c = Constants().state(exact("by construction"), n=self.n, d=self.d, sigma2=0.0)
        c = c.state(exact("curvatures of the mean"), L=mean.max().item(), mu=mean.min().item())
        c = c.state(exact("largest |curvature| of any f_i"), L_max=self.a.abs().max().item())
        c = c.state(exact("closed form"), f_star=0.0)
        gap = 0.5 * (mean * offset.square()).sum().item()
        square = offset.square().sum().item()
        return c.state(exact("closed form", "x_0"), initial_gap=gap, R2=square)

    @cached_property
    def _data(self) -> dict[str, Any]:
        return self.described("mixed curvature", self.a, self.c, self.x0)


def _alternating(n: int) -> MixedCurvature:
    """Every second worker's objective is unbounded below; the last one's is not."""
    a = torch.ones(n, _D, dtype=torch.float64)
    a[n % 2 : -1 : 2] = -0.5
    return MixedCurvature("mixed-curvature", a, 0 * a, a[-1])


ENTRIES = (
    ProblemEntry(
        "mixed-curvature",
        "a strongly convex quadratic, every second worker's part of it unbounded below",
        _alternating,
        general=False,
    ),
)
