"""Quadratics with diagonal Hessians, whose constants are set exactly."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from typing import Any, final

import torch
from torch import Tensor

from algorithms.core.key import Draws
from algorithms.kernels import problem_rows
from algorithms.kernels.deferred_checks import now
from algorithms.kernels.local_solves import quadratic_point
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.problems.base import (
    exact,
    lower,
    require_finite,
    require_int,
    require_number,
)
from algorithms.problems.spectra import log_spaced, offsets
from algorithms.problems.tensor_problem import TensorProblem
from theory.constants import Constants


class Law(Enum):
    """Law of the additive gradient noise, coordinates uncorrelated, E||noise||^2 = sigma2."""

    GAUSSIAN = "gaussian"
    RADEMACHER = "rademacher"


class Regime(Enum):
    """Assumption on f beside smoothness and convexity."""

    STRONGLY_CONVEX = "strongly convex"
    CONVEX = "convex"
    PL = "Polyak-Lojasiewicz, not strongly convex"


@final
@dataclass(frozen=True, eq=False)
class Quadratic(TensorProblem):
    r"""f_i(x) = \frac12 \sum_j a_{ij} x_j^2 - \sum_j c_{ij} x_j + const, plus gradient noise.

    ``a`` is ``[n, d]``, or ``[1, d]`` where all workers share one Hessian; ``c`` is ``[n, d]``;
    ``x_star`` ``[d]`` is the minimiser nearest to the start ``x0`` ``[d]``; the constant is such
    that f(x_star) = ``f_star`` (where f has no minimiser, as for a = 0, x_star is any point and
    no constant speaks of a minimum); ``sigma2`` = E||noise||^2 [(f / x)^2]. g_i(x) = a_i x - c_i +
    noise is computed elementwise, so a row's bits depend on that row alone.
    :meth:`strongly_convex`, :meth:`convex` and :meth:`pl` set n, d, L, mu, sigma2 and zeta2;
    :meth:`from_arrays` takes a_ij and the minimisers b_ij. (Textbook problem.)

    Attributes:
        name: what reports call it.
        law: distribution of the gradient noise.
        regime: what the Hessians allow to be stated: strongly convex, convex or Polyak-Lojasiewicz.
        within: the minimum meant is over ||x|| <= ``within`` [x].

    Raises:
        ValueError: shapes that do not fit, entries that are not finite, a_ij < 0, sigma2 < 0.
    """

    name: str
    a: Tensor
    c: Tensor
    x_star: Tensor
    x0: Tensor
    sigma2: float = 0.0
    law: Law = Law.GAUSSIAN
    regime: Regime = Regime.STRONGLY_CONVEX
    f_star: float = 0.0
    within: float = math.inf

    rowwise = mean_rowwise = value_rowwise = True

    def __post_init__(self) -> None:
        rows, d = self.a.shape[0], self.x0.shape[-1]
        if self.c.ndim != 2 or self.a.shape != (rows, d) or rows not in (1, self.c.shape[0]):
            raise ValueError(
                f"a must be [n, d] or [1, d], c [n, d] and x0 [d], got a of shape "
                f"{tuple(self.a.shape)}, c {tuple(self.c.shape)}, x0 {tuple(self.x0.shape)}"
            )
        for name, array in (("a", self.a), ("c", self.c), ("x0", self.x0), ("x_star", self.x_star)):
            require_finite(name, array)
        require_number("sigma2", self.sigma2)
        if (late := now()) is not None:  # a problem that a step makes, its batch having grown
            late.suspect(self.a < 0, "a was below 0")
        elif (self.a < 0).any():
            raise ValueError(f"a must be >= 0, got a smallest entry of {self.a.min().item()}")

    @staticmethod
    def strongly_convex(
        n: int, d: int, *, L: float = 1.0, mu: float = 0.1, sigma2: float = 1.0,
        zeta2: float = 0.0, R2: float = 1.0, law: Law = Law.GAUSSIAN, seed: int = 0,
        dtype: torch.dtype = torch.float64,
    ) -> Quadratic:  # fmt: skip
        """Common spectrum, log-spaced from L down to mu > 0; x* = 0, f* = 0, ||x_0||^2 = R2.

        Raises:
            ValueError: mu > L, mu <= 0, d = 1 with mu != L, n = 1 with zeta2 > 0, ...
        """
        a = log_spaced(d, L, mu)
        return _common(
            "quadratic-sc", a, Regime.STRONGLY_CONVEX, n, sigma2, zeta2, R2, law, seed, dtype
        )

    @staticmethod
    def convex(
        n: int, d: int, *, L: float = 1.0, sigma2: float = 1.0, zeta2: float = 0.0,
        R2: float = 1.0, law: Law = Law.GAUSSIAN, seed: int = 0,
        dtype: torch.dtype = torch.float64,
    ) -> Quadratic:  # fmt: skip
        """Common spectrum, log-spaced from L down to 1e-10 L: mu = 0 is stated, none is useful."""
        require_int("d", d, 2)
        a = log_spaced(d, L, 1e-10 * L)
        return _common("quadratic-convex", a, Regime.CONVEX, n, sigma2, zeta2, R2, law, seed, dtype)

    @staticmethod
    def pl(
        n: int, d: int, *, L: float = 1.0, mu_pl: float = 0.1, rank: int | None = None,
        sigma2: float = 1.0, zeta2: float = 0.0, R2: float = 1.0, law: Law = Law.GAUSSIAN,
        seed: int = 0, dtype: torch.dtype = torch.float64,
    ) -> Quadratic:  # fmt: skip
        """``rank`` (default d // 2) eigenvalues from L to mu_pl, the others 0.

        f* is attained on an affine set; R2 is the squared distance of x_0 to it.

        Raises:
            ValueError: rank outside [1, d - 1], and as :meth:`strongly_convex`.
        """
        require_int("d", d, 2)
        rank = d // 2 if rank is None else rank
        require_int("rank", rank, 1, d - 1)
        a = torch.cat((log_spaced(rank, L, mu_pl), torch.zeros(d - rank, dtype=torch.float64)))
        return _common("quadratic-pl", a, Regime.PL, n, sigma2, zeta2, R2, law, seed, dtype)

    @staticmethod
    def from_arrays(
        a: Tensor, b: Tensor, *, sigma2: float = 0.0, x0: Tensor | None = None,
        law: Law = Law.GAUSSIAN, name: str = "quadratic",
    ) -> Quadratic:  # fmt: skip
        r"""f_i(x) = \frac12 \sum_j a_{ij} (x_j - b_{ij})^2; a and b ``[n, d]``, x_0 = 0 by default.

        Strongly convex where every mean_i a_ij > 0, else PL.

        Raises:
            ValueError: shapes differ, or as the class.
        """
        if a.ndim != 2 or a.shape != b.shape:
            raise ValueError(
                f"a and b must both be [n, d], got a of shape {tuple(a.shape)} "
                f"and b of shape {tuple(b.shape)}"
            )
        require_finite("b", b)
        mean = a.mean(0)
        start = torch.zeros_like(mean) if x0 is None else x0
        centre = torch.where(mean > 0, (a * b).sum(0) / a.sum(0), start)
        f_star = 0.5 * (a * (centre - b).square()).sum(-1).mean().item()
        regime = Regime.STRONGLY_CONVEX if bool((mean > 0).all()) else Regime.PL
        return Quadratic(name, a, a * b, centre, start, sigma2, law, regime, f_star)

    @property
    def tensor(self) -> Tensor:
        return self.c

    @cached_property
    def _mean_a(self) -> Tensor:
        return self.a.mean(0)

    @cached_property
    def _slope(self) -> Tensor:
        """grad f(x_star): exactly 0 where it is so up to rounding."""
        slope = self._mean_a * self.x_star - self.c.mean(0)
        scale = (self._mean_a * self.x_star).abs().max() + self.c.abs().max()
        rounding = 64 * torch.finfo(self.dtype).eps * scale
        return torch.where(slope.abs() <= rounding, 0.0, slope)

    def start(self) -> Tensor:
        return self.x0

    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        g = self.full_gradient(x, draws.workers)
        if self.sigma2 == 0:
            return g
        return g.add_(self._noise(draws), alpha=math.sqrt(self.sigma2 / self.d))

    def _noise(self, draws: Draws) -> Tensor:
        if self.law is Law.GAUSSIAN:
            return draws.normal(self.d, self.dtype)
        return draws.integers(2, self.d).mul_(2).sub_(1).to(self.dtype)

    def rolled(self, shift: int) -> Quadratic:
        a = self.a if self.a.shape[0] == 1 else self.a.roll(-shift, 0)
        return replace(self, a=a, c=self.c.roll(-shift, 0))

    def full_row_kernel(self) -> RowPart:
        return self._part(0.0)

    def row_kernel(self) -> RowPart:
        return self._part(math.sqrt(self.sigma2 / self.d))

    def _part(self, deviation: float) -> RowPart:
        law = problem_rows.GAUSSIAN if self.law is Law.GAUSSIAN else problem_rows.RADEMACHER
        given = self.a.shape[0], law, problem_rows.adds_fused()
        packed = numbers(self.dtype, self.a, self.c, deviation, ints=given)
        return RowPart(problem_rows.quadratic, packed, deviation > 0, 8 * self.d)

    def proximal_row_kernel(self) -> RowPart:
        packed = numbers(self.dtype, self.a, self.c, ints=(self.a.shape[0],))
        return RowPart(quadratic_point, packed, draws=False)

    def proximal_point(self, v: Tensor, weight: Tensor, workers: Tensor, start: Tensor) -> Tensor:
        a = self.a[0] if self.a.shape[0] == 1 else self.a[workers]
        pull = weight[..., None]
        return (pull * v + self.c[workers]) / (a + pull)

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        a = self.a[0] if self.a.shape[0] == 1 else self.a[workers]
        return a * x - self.c[workers]

    def value(self, x: Tensor) -> Tensor:
        z = x - self.x_star
        return self.f_star + (0.5 * self._mean_a * z.square() + self._slope * z).sum(-1)

    def mean_gradient(self, x: Tensor) -> Tensor:
        return self._mean_a * (x - self.x_star) + self._slope

    def noise(self, x: Tensor) -> Tensor:
        return torch.full((*x.shape[:-1], self.n), self.sigma2, dtype=x.dtype, device=x.device)

    @cached_property
    def _constants(self) -> Constants:
        mean = self._mean_a.double()
        c = Constants().state(exact("by construction"), n=self.n, d=self.d, convex=True)
        c = c.state(exact("largest eigenvalue of the mean Hessian"), L=mean.max().item())
        c = c.state(exact("largest eigenvalue of any Hessian"), L_max=self.a.max().item())
        c = c.state(exact("the noise does not depend on x"), sigma2=self.sigma2)
        return self._spread(c if bool(self._slope.any()) else self._minimum(c, mean))

    def _minimum(self, c: Constants, mean: Tensor) -> Constants:
        offset = (self.x0 - self.x_star).double()
        c = self._strength(c, mean).state(exact("closed form"), f_star=self.f_star)
        gap = 0.5 * (mean * offset.square()).sum().item()
        c = c.state(exact("closed form", "x_0"), initial_gap=gap)
        c = c.state(exact("closed form", "x*"), zeta2_star=self.spread_at(self.x_star))
        return c.state(exact("to the nearest minimiser", "x_0"), R2=offset.square().sum().item())

    def _strength(self, c: Constants, mean: Tensor) -> Constants:
        if self.regime is Regime.CONVEX:
            return c.state(lower("convex; no positive constant is claimed"), mu=0.0)
        c = c.state(exact("smallest eigenvalue of the mean Hessian"), mu=mean.min().item())
        if self.regime is Regime.STRONGLY_CONVEX:
            c = c.state(exact("smallest eigenvalue of any Hessian"), mu_min=self.a.min().item())
        positive = mean[mean > 0]
        if not positive.numel():
            return c
        return c.state(exact("smallest positive eigenvalue"), pl=positive.min().item())

    def _spread(self, c: Constants) -> Constants:
        if not bool((self.a == self.a[0]).all()):
            return c  # grows with ||x||: no uniform constant; see heterogeneity(x)
        rows = self.c.double()
        zeta2 = (rows - rows.mean(0)).square().sum(-1).mean().item()
        return c.state(exact("grad f_i - grad f = -c_i for a common Hessian"), zeta2=zeta2)

    def resampled(self, factor: int) -> Quadratic:
        """Noise of its law with variance sigma2 / factor (a mean of signs is not drawn as such)."""
        return replace(self, sigma2=self.sigma2 / factor)

    @cached_property
    def _data(self) -> dict[str, Any]:
        return self.described(
            "quadratic", self.a, self.c, self.x_star, self.x0, sigma2=self.sigma2,
            law=self.law.value, regime=self.regime.value, f_star=self.f_star,
        )  # fmt: skip


def _common(
    name: str, a: Tensor, regime: Regime, n: int, sigma2: float, zeta2: float, R2: float,
    law: Law, seed: int, dtype: torch.dtype,
) -> Quadratic:  # fmt: skip
    """One Hessian for all: x* = 0, x_0 at distance sqrt(R2), spread evenly over a_j > 0."""
    require_number("R2", R2)
    active = a > 0
    x0 = torch.full_like(a, math.sqrt(R2 / int(active.sum())))
    c = offsets(n, active, zeta2, seed)
    x_star = torch.where(active, 0.0, x0)
    a, c, x_star, x0 = (part.to(dtype) for part in (a[None], c, x_star, x0))
    return Quadratic(name, a, c, x_star, x0, sigma2, law, regime)
