"""Linear models whose columns, not samples, are split over workers."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import torch
from torch import Tensor

from algorithms.kernels.column_rows import columns as column_part
from algorithms.kernels.column_rows import least_subgradients
from algorithms.kernels.compiled import by_torch
from algorithms.kernels.coordinate_descent import column_squares, descend
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.problems.base import (
    Problem,
    exact,
    lower,
    pair_shape,
    require_finite,
    require_int,
    require_number,
    upper,
)
from algorithms.problems.glm_losses import GlmLoss
from algorithms.problems.tensor_problem import Noiseless, SharedSamples
from algorithms.problems.top_eigenvalue import squared_norms
from theory.arrays import Floats
from theory.constants import Constants

_SETTLED, _PASSES, _NEWTON = 1e-13, 200, 50


class NotSplitByColumns(TypeError):
    """A method that needs the columns of a linear model met another problem."""


@final
@dataclass(frozen=True, eq=False)
class Columns(Noiseless, SharedSamples):
    r"""F(x) = \frac1S \sum_s l(a_s^T x, y_s) + l_1 \|x\|_1 + \frac{l_2}{2} \|x\|^2.

    ``samples`` ``[S, d]``, ``targets`` ``[S]``; worker i of n owns columns ``first[i]`` to
    ``last[i]``, consecutive and as even as they go (none, for some, if n > d). What a worker
    computes alone is a sub-gradient of F itself: there is no f_i of its own and no noise. Where
    l_1 > 0, "gradient" is the sub-gradient of least norm, which is 0 exactly at stationary points.
    x_0 = 0. (He, Bian, Jaggi 2018, arXiv:1808.04883, split by columns for CoLa.)

    Attributes:
        name: what reports call it.
        loss: l, a function of the prediction and the target.
        l1: l_1 [f / x].
        l2: l_2 [f / x^2].
        workers: number n of workers.
        source: where the data come from; empty if they are made here.

    Raises:
        ValueError: shapes that do not fit, entries that are not finite, no worker, l1 or l2 < 0.
    """

    name: str
    samples: Tensor
    targets: Tensor
    loss: GlmLoss
    l1: float
    l2: float
    workers: int
    source: str = ""

    rowwise = True

    def __post_init__(self) -> None:
        if self.samples.ndim != 2 or self.targets.shape != self.samples.shape[:1]:
            raise ValueError(
                f"samples must be [S, d] and targets [S], got samples of shape "
                f"{tuple(self.samples.shape)} and targets of shape {tuple(self.targets.shape)}"
            )
        require_finite("samples", self.samples)
        require_finite("targets", self.targets)
        require_int("workers", self.workers, 1)
        require_number("l1", self.l1)
        require_number("l2", self.l2)

    @staticmethod
    def from_problem(problem: Problem) -> Columns:
        """``problem`` if it is one.

        Raises:
            NotSplitByColumns: it is not.
        """
        if not isinstance(problem, Columns):
            raise NotSplitByColumns(
                f"problem must be a linear model split by columns, got {problem.name}; "
                "lasso-diabetes, logistic-l1-breast-cancer or sigmoid-breast-cancer would do"
            )
        return problem

    @property
    def tensor(self) -> Tensor:
        return self.samples

    @cached_property
    def columns(self) -> Tensor:
        """A^T ``[d, S]``, a column of A in a row."""
        return self.samples.T.contiguous()

    @cached_property
    def squares(self) -> Floats:
        """Squared lengths of the columns ``[d]``."""
        return column_squares(self.columns)

    @cached_property
    def first(self) -> Tensor:
        """First column of each worker ``[n]``."""
        return torch.arange(self.n) * self.d // self.n

    @cached_property
    def last(self) -> Tensor:
        """One past the last column of each worker ``[n]``."""
        return (torch.arange(self.n) + 1) * self.d // self.n

    @property
    def smoothness(self) -> float:
        """1/tau: the loss part is that smooth in v = A x [f / v^2]."""
        return self.loss.curvature / self.samples.shape[0]

    def slope(self, v: Tensor) -> Tensor:
        """Gradient of the loss part at scores v ``[..., S]``, over v; bits depend on the row."""
        return self.loss.slope(v, self.targets) / self.samples.shape[0]

    def value(self, x: Tensor) -> Tensor:
        loss = self.loss.value(x @ self.columns, self.targets).mean(-1)
        return loss + self.l1 * x.abs().sum(-1) + 0.5 * self.l2 * x.square().sum(-1)

    def mean_gradient(self, x: Tensor) -> Tensor:
        smooth = self.slope(x @ self.columns) @ self.samples + self.l2 * x
        kink = torch.sign(smooth) * (smooth.abs() - self.l1).clamp_min(0.0)
        return torch.where(x == 0, kink, smooth + self.l1 * torch.sign(x))

    def kinks(self, x: Tensor) -> Tensor:
        return (x == 0) & (self.l1 > 0)

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        kind = self.loss.compiled
        if kind is None or by_torch(self.samples):
            g = self.mean_gradient(x)
        else:
            g = least_subgradients(self.samples, self.targets, kind, self._weights, x)
        return g.expand(*pair_shape(x, workers), self.d).clone()

    def row_kernel(self) -> RowPart | None:
        return self.full_row_kernel()

    def full_row_kernel(self) -> RowPart | None:
        kind = self.loss.compiled
        if kind is None:
            return None
        packed = numbers(self.dtype, self.samples, self.targets, self._weights, ints=(kind,))
        return RowPart(column_part, packed, draws=False, work=2 * self.samples.numel())

    @property
    def _weights(self) -> Tensor:
        return torch.tensor([self.l1, self.l2], dtype=self.dtype)

    @cached_property
    def _minimum(self) -> tuple[Tensor, float] | None:
        """Coordinate descent finds the support, Newton's method the minimiser on it."""
        if not self.loss.convex:
            return None
        wide = replace(self.double(), workers=1)
        x = wide.start()
        for _ in range(_NEWTON):
            x = wide._newton(wide._descended(x))
            if float(wide.mean_gradient(x).abs().max()) <= _SETTLED:
                return x, float(wide.value(x))
        residual = float(wide.mean_gradient(x).abs().max())
        raise ArithmeticError(
            f"the minimiser of {self.name} was not found to {_SETTLED:g}: the least sub-gradient "
            f"is {residual:.3g}; a larger l1 or l2 would do"
        )

    def _descended(self, x: Tensor) -> Tensor:
        """Majorised coordinate descent over all columns, each pass from a fresh slope."""
        for _ in range(_PASSES):
            g = self.slope(x @ self.columns)[None]
            change, _ = descend(
                self.columns, g, x[None], self.first, self.last, self.smoothness, self.l1,
                self.l2, 1, self.squares,
            )  # fmt: skip
            x = x + change[0]
        return x

    def _newton(self, x: Tensor) -> Tensor:
        """Newton steps on the coordinates that are not 0, signs kept; x itself where that fails."""
        on, point = x != 0, x
        a = self.samples[:, on]
        for _ in range(8):
            second_derivative = (
                self.loss.second_derivative(point @ self.columns, self.targets)
                / self.samples.shape[0]
            )
            hessian = (a * second_derivative[:, None]).T @ a + self.l2 * torch.eye(a.shape[1]).to(a)
            step = torch.linalg.lstsq(hessian, self.mean_gradient(point)[on][:, None]).solution
            point = point.clone()
            point[on] -= step[:, 0]
            if not bool((torch.sign(point[on]) == torch.sign(x[on])).all()):
                return x
        better = self.value(point) <= self.value(x) + 1e-15
        return point if bool(better) else x

    @cached_property
    def x_star(self) -> Tensor | None:
        return None if self._minimum is None else self._minimum[0].to(self.samples)

    @cached_property
    def f_star(self) -> float | None:
        return None if self._minimum is None else self._minimum[1]

    def lipschitz(self, radius: float = math.inf) -> float:
        longest = float(self.samples.double().norm(dim=-1).max())
        steep = self.loss.steepest * longest + self.l1 * math.sqrt(self.d)
        return steep + self.l2 * radius if self.l2 else steep

    @cached_property
    def _constants(self) -> Constants:
        c = Constants().state(exact("by construction"), n=self.n, d=self.d)
        c = c.state(exact("by construction"), convex=self.loss.convex)
        c = c.state(exact("no sampling"), sigma2=0.0)
        if self.l1 == 0:
            top = float(squared_norms(self.samples.double()[None])[0])
            smooth = self.smoothness * top + self.l2
            c = c.state(upper("largest curvature of the loss"), L=smooth, L_max=smooth)
        if self.loss.convex:
            c = c.state(lower("the l2 term's own curvature"), mu=self.l2)
        if self.lipschitz() < math.inf:
            why = upper("the longest sample at the loss's largest slope, and the l1 term")
            c = c.state(why, lipschitz=self.lipschitz())
        return self._start_constants(c)

    def _start_constants(self, c: Constants) -> Constants:
        here = float(self.value(self.start()))
        if self._minimum is None:
            c = c.state(lower("the loss is not negative"), f_star=0.0)
            return c.state(upper("F(0) - 0", "x_0 = 0"), initial_gap=here)
        x, f_star = self._minimum
        c = c.state(exact("coordinate descent and Newton's method to 1e-13"), f_star=f_star)
        c = c.state(exact("closed form and minimum", "x_0 = 0"), initial_gap=here - f_star)
        return c.state(exact("closed form and minimum", "x_0 = 0"), R2=float(x @ x))

    @cached_property
    def _data(self) -> dict[str, Any]:
        return self.described(
            "columns", self.samples, self.targets, loss=self.loss.name, l1=self.l1, l2=self.l2,
            source=self.source,
        )  # fmt: skip
