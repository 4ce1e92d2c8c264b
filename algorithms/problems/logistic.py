"""Regularised logistic regression on sharded data."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels import linear
from algorithms.kernels.linear_rows import logistic
from algorithms.kernels.local_newton import (
    LocalData,
    logistic_proximal,
    proximal_numbers,
    proximal_row,
)
from algorithms.kernels.row_parts import RowPart, numbers, published
from algorithms.problems import logistic_bounds, newton
from algorithms.problems.base import (
    exact,
    lower,
    require_finite,
    require_int,
    upper,
)
from algorithms.problems.logistic_bounds import RowMoments, Spectra
from algorithms.problems.regularisers import Regulariser
from algorithms.problems.samples import require_samples, require_signs
from algorithms.problems.tensor_problem import Linear
from algorithms.problems.top_eigenvalue import dense, top
from theory.arrays import Floats
from theory.constants import Constants, Statement

_OF_ROWS = ("_moments", "_spectra", "_smooth", "_minimum", "_local")  # whatever the batch


@final
@dataclass(frozen=True, eq=False)
class Logistic(Linear):
    r"""f_i(x) = \frac1S \sum_s \log(1 + e^{-p_{is}^T x}) + r(x), p_{is} = y_{is} a_{is}.

    ``rows`` ``[n, S, d]`` holds the signed samples p. A stochastic gradient averages ``batch``
    samples drawn with replacement from the worker's own shard. Rows are independent bit for bit
    where they live on a CPU (the kernel); elsewhere a batched sum is used. ``source`` says where
    the data come from. Build it with :meth:`from_data` or with the makers of
    :mod:`algorithms.problems.logistic_data`. (Textbook problem.)

    Attributes:
        name: what reports call it.
        regulariser: r, added to every f_i.

    Raises:
        ValueError: rows that are not finite or not ``[n, S, d]``, batch < 1.
    """

    name: str
    rows: Tensor
    regulariser: Regulariser
    batch: int
    source: str = ""

    def __post_init__(self) -> None:
        if self.rows.ndim != 3 or 0 in self.rows.shape:
            raise ValueError(
                f"rows must be [n, S, d] and not empty, got rows of shape {tuple(self.rows.shape)}"
            )
        require_int("batch", self.batch, 1)
        require_finite("rows", self.rows)

    @staticmethod
    def from_data(
        features: Tensor,
        labels: Tensor,
        regulariser: Regulariser,
        *,
        batch: int,
        name: str = "logistic",
        source: str = "",
    ) -> Logistic:
        """From features ``[n, S, d]`` and labels ``[n, S]`` in {-1, +1}.

        Raises:
            ValueError: shapes that do not fit, features that are not finite, other labels.
        """
        require_samples(features, "labels", labels)
        require_signs(labels)
        rows = (labels[..., None].to(features.dtype) * features).contiguous()
        return Logistic(name, rows, regulariser, batch, source)

    @property
    def tensor(self) -> Tensor:
        return self.rows

    def resampled(self, factor: int) -> Logistic:
        """Of the same rows, so that what has been found of these alone is found of its too."""
        larger = super().resampled(factor)
        known = ((name, vars(self)[name]) for name in _OF_ROWS if name in vars(self))
        vars(larger).update(known)
        return larger

    def averaged(self, x: Tensor, workers: Tensor, index: Tensor) -> Tensor:
        shift = self.regulariser.gradient(x)
        return linear.logistic_gradient(self.rows, x, shift, workers, index)

    def row_kernel(self) -> RowPart | None:
        return self._kernel_of(self.batch)

    def full_row_kernel(self) -> RowPart | None:
        return self._kernel_of(0)

    def _kernel_of(self, batch: int) -> RowPart | None:
        """Gradients of so many samples, 0: all."""
        kind = published(self.regulariser)
        if kind is None:
            return None
        samples = self.rows.shape[1]
        given = numbers(self.dtype, self.rows, self.regulariser.lam, ints=(samples, batch, kind))
        return RowPart(logistic, given, batch > 0, 2 * (batch or samples) * self.d)

    def rolled(self, shift: int) -> Logistic:
        return replace(self, rows=self.rows.roll(-shift, 0))

    def slopes(self, x: Tensor) -> Tensor:
        return torch.sigmoid(-(x @ self._flat.T))

    def proximal_point(self, v: Tensor, weight: Tensor, workers: Tensor, start: Tensor) -> Tensor:
        if not self.regulariser.convex:
            return super().proximal_point(v, weight, workers, start)
        return self._solved(v, weight, self.regulariser.lam, workers, start)

    def proximal_row_kernel(self) -> RowPart | None:
        if not self.regulariser.convex:
            return None
        data, lam = self._local, self.regulariser.lam
        return RowPart(proximal_row, proximal_numbers(data, lam, self.dtype), draws=False)

    def tilted_minimum(self, y: Tensor, workers: Tensor, start: Tensor) -> Tensor | None:
        """In one solve: the regulariser less the tilt is a square around y / lam."""
        r = self.regulariser
        if r.strength <= 0:
            return None
        own = torch.full(workers.shape[-1:], r.lam, dtype=torch.float64)
        return self._solved(y.double() / r.lam, own, 0.0, workers, start).to(y)

    def _solved(
        self, v: Tensor, weight: Tensor, lam: float, workers: Tensor, start: Tensor
    ) -> Tensor:
        """argmin of the loss of f_i plus squares around 0 and v, of weights lam and ``weight``."""
        lead = v.shape[:-1]
        flat = logistic_proximal(
            self._local, v.reshape(-1, self.d), workers.expand(lead).reshape(-1),
            weight.expand(lead).reshape(-1), lam, start.expand(v.shape).reshape(-1, self.d),
        )  # fmt: skip
        return flat.view(v.shape)

    def value(self, x: Tensor) -> Tensor:
        return self._value(x, x @ self._flat.T)

    def worker_values(self, x: Tensor, workers: Tensor) -> Tensor:
        z = (self.rows[workers] @ x[..., None])[..., 0]
        return -torch.nn.functional.logsigmoid(z).mean(-1) + self.regulariser.value(x)

    def mean_gradient(self, x: Tensor) -> Tensor:
        return self._gradient(x, x @ self._flat.T)

    def value_and_gradient(self, x: Tensor) -> tuple[Tensor, Tensor]:
        z = x @ self._flat.T
        return self._value(x, z), self._gradient(x, z)

    def _value(self, x: Tensor, z: Tensor) -> Tensor:
        """f at x, where products with all samples are z ``[..., n S]``."""
        return -torch.nn.functional.logsigmoid(z).mean(-1) + self.regulariser.value(x)

    def _gradient(self, x: Tensor, z: Tensor) -> Tensor:
        """grad f there."""
        slopes = torch.sigmoid(-z)
        return self.regulariser.gradient(x) - slopes @ self._flat / self._flat.shape[0]

    @cached_property
    def _local(self) -> LocalData:
        return LocalData.from_rows(self.rows)

    @cached_property
    def _smooth(self) -> float:
        return 0.25 * top(self._flat) + self.regulariser.curvature

    @cached_property
    def _moments(self) -> RowMoments:
        return logistic_bounds.moments(self.rows)

    @cached_property
    def _spectra(self) -> Spectra:
        return logistic_bounds.spectra(self.rows)

    @cached_property
    def G2_radius(self) -> float:
        r = self.regulariser
        if r.slope < math.inf:
            return math.inf
        return logistic_bounds.reach(self._longest, r.lam, 1 / self._smooth)

    @property
    def _longest(self) -> float:
        return logistic_bounds.longest(self._moments)

    @cached_property
    def _minimum(self) -> tuple[Tensor, float] | None:
        if self.regulariser.strength <= 0:
            return None
        rows, lam = self._flat.cpu().numpy(), self.regulariser.strength
        x = newton.minimise(rows, lam)
        return torch.from_numpy(x), newton.objective(rows, lam, x)

    @cached_property
    def x_star(self) -> Tensor | None:
        return None if self._minimum is None else self._minimum[0].to(self.rows)

    @cached_property
    def f_star(self) -> float | None:
        return None if self._minimum is None else self._minimum[1]

    @cached_property
    def _constants(self) -> Constants:
        r = self.regulariser
        c = Constants().state(exact("by construction"), n=self.n, d=self.d, convex=r.convex)
        c = c.state(_largest_at_start(self._flat), L=self._smooth)
        steepest = 0.25 * self._spectra.tops.max().item() + r.curvature
        c = c.state(_largest_at_start(self.rows[0]), L_max=steepest)
        if r.convex:
            own = lower("the regulariser's own curvature")
            c = c.state(own, mu=r.strength, mu_min=r.strength)
        if r.strength > 0:
            c = c.state(lower("strong convexity"), pl=r.strength)
        why = upper("largest over all weights in [0, 1] of the samples")
        c = c.state(why, sigma2=logistic_bounds.variance(self._moments, self.batch))
        if self.n == 1:
            c = c.state(exact("a single worker"), zeta2=0.0)
        else:
            apart = logistic_bounds.heterogeneity(self._moments, self._spectra.boxed)
            c = c.state(why, zeta2=apart)
        return self._start_constants(self._second_moment(c))

    def lipschitz(self, radius: float = math.inf) -> float:
        return self._longest + self.regulariser.steepest(radius, self.d)

    def _second_moment(self, c: Constants) -> Constants:
        second = logistic_bounds.second_moment(self._moments, self._spectra, self.batch)
        loss = math.sqrt(second)
        own = self.regulariser.steepest(self.G2_radius, self.d)
        everywhere = self.G2_radius == math.inf
        where = (
            "uniform"
            if everywhere
            else (
                "along means of models that take SGD's steps from x_0 = 0 with gamma L <= 1, "
                f"where ||x|| <= {self.G2_radius:.4g}"
            )
        )
        why = "largest norms of the loss part and of the regulariser's there"
        c = c.state(upper(why, where), G2=(loss + own) ** 2)
        return c.state(upper(why), lipschitz=self.lipschitz()) if everywhere else c

    def _start_constants(self, c: Constants) -> Constants:
        """The start is x_0 = 0, where f = log 2."""
        if self._minimum is None:
            c = c.state(lower("f >= 0"), f_star=0.0)
            return c.state(upper("f(x_0) - 0", "x_0 = 0"), initial_gap=math.log(2.0))
        x, f_star = self._minimum
        c = c.state(exact("Newton's method, certified to 1e-12"), f_star=f_star)
        c = c.state(exact("f(x_0) = log 2", "x_0 = 0"), initial_gap=math.log(2.0) - f_star)
        return self._spread(c.state(exact("Newton's method", "x_0 = 0"), R2=float(x @ x)))

    def _spread(self, c: Constants) -> Constants:
        """zeta2_star: that at Newton's point y, and what ||y - x*|| <= ||grad f(y)||/mu adds."""
        assert self._minimum is not None
        rows, lam, y = self._flat.cpu().numpy(), self.regulariser.strength, self._minimum[0]
        away = float(np.linalg.norm(newton.gradient(rows, lam, y.numpy()))) / lam
        own = [self._own_gradient(i, y) for i in range(self.n)]
        spread = float(np.mean([g @ g for g in own]))
        most = (spread**0.5 + c.need("L_max") * away) ** 2
        return c.state(
            upper("Newton's minimiser, with its certified distance", "x*"), zeta2_star=most
        )

    def _own_gradient(self, i: int, x: Tensor) -> Floats:
        """grad f_i at x ``[d]``, in double precision, of the l2 problem."""
        return newton.gradient(self.rows[i].cpu().numpy(), self.regulariser.strength, x.numpy())

    @cached_property
    def _data(self) -> dict[str, Any]:
        return self.described(
            "logistic", self.rows, S=self.rows.shape[1], batch=self.batch,
            regulariser=self.regulariser.data(), source=self.source,
        )  # fmt: skip


def _largest_at_start(rows: Tensor) -> Statement:
    """Bound on all Hessians by the largest eigenvalue of rows ``[N, d]`` at x = 0."""
    why = "the Hessian is largest at x = 0, for loss and regulariser"
    return exact(why) if dense(*rows.shape) else upper(f"{why}; Lanczos' method bounds it there")
