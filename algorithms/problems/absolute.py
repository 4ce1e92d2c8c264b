"""Least absolute deviations on sharded data: convex, Lipschitz, not smooth."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import torch
from torch import Tensor

from algorithms.kernels import problem_rows
from algorithms.kernels.absolutes import absolutes_gradient
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.problems import absolute_minimum
from algorithms.problems.base import (
    exact,
    lower,
    require_finite,
    require_int,
    require_number,
    upper,
)
from algorithms.problems.samples import require_samples
from algorithms.problems.tensor_problem import Linear, Solved
from algorithms.problems.top_eigenvalue import squared_norms
from theory.constants import Constants


@final
@dataclass(frozen=True, eq=False)
class Absolute(Solved, Linear):
    r"""f_i(x) = \frac1S \sum_s |a_{is}^T x - y_{is}| + \frac{\lambda}{2} \|x\|^2.

    ``features`` ``[n, S, d]``, ``targets`` ``[n, S]``, float64. Gradients are subgradients, with
    sign(0) = 0; a stochastic one averages ``batch`` samples drawn with replacement from the
    worker's own, 0: all of them, once each. That of f is of least norm. x_0 = 0. The minimum comes
    from scipy: a linear program for lam = 0, else the box-constrained dual, certified by its
    duality gap. (Textbook problem: least absolute deviations.)

    Attributes:
        name: what reports call it.
        source: where the data come from; empty if they are made here.

    Raises:
        ValueError: shapes that do not fit, entries that are not finite, lam < 0 or batch < 0.
    """

    name: str
    features: Tensor
    targets: Tensor
    lam: float = 0.0
    batch: int = 0
    source: str = ""

    def __post_init__(self) -> None:
        require_samples(self.features, "targets", self.targets)
        require_finite("targets", self.targets)
        require_number("lam", self.lam)
        require_int("batch", self.batch, 0)

    @property
    def tensor(self) -> Tensor:
        return self.features

    def averaged(self, x: Tensor, workers: Tensor, index: Tensor) -> Tensor:
        g = absolutes_gradient(self.features, self.targets, x, workers, index)
        return g + self.lam * x

    def row_kernel(self) -> RowPart:
        samples = self.features.shape[1]
        ints = (samples, self.batch)
        packed = numbers(self.dtype, self.features, self.targets, self.lam, ints=ints)
        work = 2 * (self.batch or samples) * self.d
        return RowPart(problem_rows.absolute, packed, self.batch > 0, work)

    def slopes(self, x: Tensor) -> Tensor:
        return self._errors(x).sign()

    def _errors(self, x: Tensor) -> Tensor:
        """a^T x - y of all samples at x ``[..., d]``, ``[..., n S]``."""
        return x @ self._flat.T - self.targets.flatten()

    def value(self, x: Tensor) -> Tensor:
        errors = self._errors(x)
        return errors.abs().mean(-1) + 0.5 * self.lam * x.square().sum(-1)

    def worker_values(self, x: Tensor, workers: Tensor) -> Tensor:
        errors = (self.features[workers] @ x[..., None])[..., 0] - self.targets[workers]
        return errors.abs().mean(-1) + 0.5 * self.lam * x.square().sum(-1)

    def mean_gradient(self, x: Tensor) -> Tensor:
        errors = self._errors(x)
        g = errors.sign() @ self._flat / self._flat.shape[0] + self.lam * x
        for place in (errors.abs() <= self._rounding).any(-1).nonzero():
            at = tuple(place.tolist())
            g[at] = self._shortest(x[at], errors[at])
        return g

    def _shortest(self, x: Tensor, errors: Tensor) -> Tensor:
        """The shortest sub-gradient ``[d]`` at x ``[d]``, some of whose errors ``[N]`` are 0."""
        free = errors.abs() <= self._rounding
        share = self._flat.double().cpu() / len(errors)
        fixed = errors.masked_fill(free, 0).sign().double().cpu() @ share
        fixed += self.lam * x.double().cpu()
        found = absolute_minimum.shortest(fixed.numpy(), share[free.cpu()].numpy())
        return torch.from_numpy(found).to(x)

    @cached_property
    def _rounding(self) -> float:
        """Errors that are 0 up to rounding [y]."""
        return 1e3 * torch.finfo(self.dtype).eps * float(self.targets.abs().max())

    def kinks(self, x: Tensor) -> Tensor:
        errors = self._errors(x)
        return (errors.abs() <= self._rounding).any(-1, keepdim=True).expand(x.shape)

    @cached_property
    def local_lipschitz(self) -> tuple[float, ...]:
        r"""Upper bounds \|A_i\|_2 / \sqrt S on the subgradients of each f_i without its quadratic
        [f / x]: they are A_i^T u / S with |u_s| \le 1."""
        tops = squared_norms(self.features.double()) / self.features.shape[1]
        return tuple(tops.sqrt().tolist())

    def lipschitz(self, radius: float = math.inf) -> float:
        longest = float(self._flat.double().norm(dim=-1).max())
        steep = longest if self.batch else max(self.local_lipschitz)
        return steep + self.lam * radius if self.lam else steep

    def largest_entry(self, radius: float = math.inf) -> float:
        steep = float(self.features.abs().max())
        return steep + self.lam * radius if self.lam else steep

    @cached_property
    def _minimum(self) -> tuple[Tensor, float]:
        rows, targets = self._flat.double().cpu().numpy(), self.targets.flatten().double().cpu()
        x = absolute_minimum.minimise(rows, targets.numpy(), self.lam)
        return torch.from_numpy(x), absolute_minimum.objective(rows, targets.numpy(), self.lam, x)

    @cached_property
    def _constants(self) -> Constants:
        c = Constants().state(exact("by construction"), n=self.n, d=self.d, convex=True)
        if self.lam > 0:
            c = c.state(lower("the quadratic's curvature"), mu=self.lam, mu_min=self.lam)
        if self.batch == 0:
            c = c.state(exact("all samples, once each"), sigma2=0.0)
        else:
            power = self.features.square().sum(-1).mean(-1).max().item() / self.batch
            c = c.state(upper("second moment of a sample's subgradient"), sigma2=power)
        if self.lam == 0:
            why = "the longest sample" if self.batch else "spectral norms of the workers' features"
            c = c.state(upper(why), lipschitz=self.lipschitz())
        certified = exact("linear program, or a dual certified to 1e-9")
        c = c.state(certified, f_star=self.f_star)
        gap = self.value(self.start()).item() - self.f_star
        c = c.state(exact("closed form", "x_0 = 0"), initial_gap=gap)
        return c.state(exact("to that minimiser", "x_0 = 0"), R2=float(self.x_star @ self.x_star))

    @cached_property
    def _data(self) -> dict[str, Any]:
        return self.described(
            "least absolute deviations", self.features, self.targets, S=self.features.shape[1],
            lam=self.lam, batch=self.batch, source=self.source,
        )  # fmt: skip
