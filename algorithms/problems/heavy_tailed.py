"""A quadratic whose gradients are now and then far off: noise without a variance."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import torch
from torch import Tensor

from algorithms.core.key import Draws
from algorithms.kernels.drawn_rows import heavy_tailed as tailed_rows
from algorithms.kernels.drawn_rows import of_pareto_norm
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.problems.base import exact, pair_shape, require_finite, require_int, require_number
from algorithms.problems.entry import ProblemEntry
from algorithms.problems.spectra import log_spaced
from algorithms.problems.tensor_problem import Minibatch, SharedSamples
from theory.constants import Constants

NAME = "quadratic-heavy-tailed"
_D = 20  # parameters of the catalogue's


@final
@dataclass(frozen=True, eq=False)
class HeavyTailed(SharedSamples, Minibatch):
    r"""f_i(x) = \frac12 \sum_j a_j x_j^2 of all workers, noise of norm s U^{-1/\alpha} in each g.

    ``a`` and ``x0`` are ``[d]``. A sample's noise has a uniform direction and a Pareto norm: U is
    uniform on (0, 1], s = ``scale`` [f / x] its least value. For 1 < alpha <= 2 its mean is 0 and
    its variance infinite, so E f of any SGD step is, while a norm that is clipped has all moments
    (Zhang et al. 2020, arXiv:1912.03194, Remark 1 and Assumption 1). x* = 0, f* = 0.

    Attributes:
        name: what reports call it.
        workers: n.
        alpha: the tail's index.
        batch: samples that a gradient averages.

    Raises:
        ValueError: shapes that do not fit, entries that are not finite, an a_j <= 0, alpha outside
            (1, 2], scale <= 0, workers or batch < 1.
    """

    name: str
    a: Tensor
    x0: Tensor
    workers: int
    scale: float = 1.0
    alpha: float = 1.25
    batch: int = 1

    rowwise = mean_rowwise = value_rowwise = True
    heavy_tailed = True

    def __post_init__(self) -> None:
        if self.a.ndim != 1 or self.x0.shape != self.a.shape:
            raise ValueError(
                f"a and x0 must both be [d], got a of shape {tuple(self.a.shape)} and x0 of shape "
                f"{tuple(self.x0.shape)}"
            )
        require_finite("a", self.a)
        require_finite("x0", self.x0)
        if not bool((self.a > 0).all()):
            raise ValueError(f"a must be positive, got a smallest entry of {self.a.min().item():g}")
        if not 1 < self.alpha <= 2:
            raise ValueError(
                f"alpha must lie in (1, 2], got alpha={self.alpha}: the noise needs a mean and is "
                "to have no variance"
            )
        require_number("scale", self.scale, strict=True)
        require_int("workers", self.workers, 1)
        require_int("batch", self.batch, 1)

    @property
    def tensor(self) -> Tensor:
        return self.a

    @property
    def x_star(self) -> Tensor:
        return torch.zeros_like(self.a)

    @property
    def f_star(self) -> float:
        return 0.0

    def start(self) -> Tensor:
        return self.x0

    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        g = self.full_gradient(x, draws.workers)
        for sample in range(self.batch):
            g = g + self._noise(draws.fold("sample", sample)) / self.batch
        return g

    def _noise(self, draws: Draws) -> Tensor:
        z = draws.normal(self.d, self.dtype)
        u = draws.fold("norm").uniform(1, self.dtype)
        return of_pareto_norm(z, u, self.scale, -1 / self.alpha)

    def row_kernel(self) -> RowPart:
        tail = self.scale, -1 / self.alpha
        packed = numbers(self.dtype, self.a, ints=(self.batch,), reals=tail)
        return RowPart(tailed_rows, packed, work=12 * self.batch * self.d)

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        g: Tensor = self.a * x
        return g.expand(*pair_shape(x, workers), self.d)

    def value(self, x: Tensor) -> Tensor:
        return 0.5 * (self.a * x.square()).sum(-1)

    def mean_gradient(self, x: Tensor) -> Tensor:
        return self.a * x

    def noise(self, x: Tensor) -> Tensor:
        return torch.full((*x.shape[:-1], self.n), torch.inf, dtype=x.dtype, device=x.device)

    @cached_property
    def _constants(self) -> Constants:
        c = Constants().state(exact("by construction"), n=self.n, d=self.d, convex=True)
        largest, least = self.a.max().item(), self.a.min().item()
        c = c.state(exact("largest eigenvalue of the Hessian"), L=largest, L_max=largest)
        c = c.state(exact("smallest eigenvalue"), mu=least, mu_min=least, pl=least)
        c = c.state(exact("one objective for all workers"), zeta2=0.0, zeta2_star=0.0)
        start = self.x0.double()
        c = c.state(exact("by construction"), f_star=0.0)
        c = c.state(exact("closed form", "x_0"), initial_gap=self.value(start).item())
        return c.state(exact("to the minimiser", "x_0"), R2=start.square().sum().item())

    @cached_property
    def _data(self) -> dict[str, Any]:
        return self.described(
            "heavy-tailed quadratic", self.a, self.x0, scale=self.scale, alpha=self.alpha,
            batch=self.batch,
        )  # fmt: skip


def heavy_tailed(n: int, d: int = _D, *, distance: float = 5.0) -> HeavyTailed:
    """Curvatures from 1 down to 0.1, alpha = 5/4, scale 1 [f / x], ||x_0|| = ``distance`` [x]."""
    start = torch.full((d,), distance / d**0.5, dtype=torch.float64)
    return HeavyTailed(NAME, log_spaced(d, 1.0, 0.1), start, n)


ENTRIES = (
    ProblemEntry(
        NAME,
        "strongly convex quadratic, gradient noise of tail index 5/4: it has no variance",
        heavy_tailed,
        general=False,
    ),
)
