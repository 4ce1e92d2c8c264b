"""Least squares on sparse samples that all workers share: gradients touch a few coordinates."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, final

import torch
from torch import Tensor

from algorithms.core.key import Draws, Key
from algorithms.kernels import problem_rows
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.squares import squares_gradient
from algorithms.problems.base import (
    content_hash,
    exact,
    lower,
    pair_shape,
    require_finite,
    require_int,
    require_number,
)
from algorithms.problems.entry import ProblemEntry
from algorithms.problems.tensor_problem import Minibatch, SharedSamples, Solved
from theory.constants import Constants


@final
@dataclass(frozen=True, eq=False)
class SparseLinear(SharedSamples, Solved, Minibatch):
    r"""f_i(x) = f(x) = \frac{1}{2S} \sum_s (a_s^T x - y_s)^2, each a_s on its support.

    ``supports`` ``[S, k]`` (int64) are the places, each row without repetition, and ``values``
    ``[S, k]`` the entries of a_s; ``targets`` ``[S]``. All workers draw from the same samples,
    ``batch`` of them with replacement; a stochastic gradient is zero off their supports. x_0 = 0.
    Build it with :meth:`overlapping`. The problem is ours, for Hogwild.

    Attributes:
        name: what reports call it.
        workers: number n of workers.
        width: number d of coordinates.

    Raises:
        ValueError: shapes that do not fit, places outside [0, width), entries that are not finite.
    """

    name: str
    workers: int
    width: int
    supports: Tensor
    values: Tensor
    targets: Tensor
    batch: int = 1

    def __post_init__(self) -> None:
        for name in ("workers", "width", "batch"):
            require_int(name, getattr(self, name), 1)
        if self.supports.shape != self.values.shape or self.targets.shape != self.values.shape[:1]:
            raise ValueError(
                "supports and values must be [S, k] and targets [S], got shapes "
                f"{tuple(self.supports.shape)}, {tuple(self.values.shape)} and "
                f"{tuple(self.targets.shape)}"
            )
        require_finite("values", self.values)
        require_finite("targets", self.targets)
        if self.supports.min() < 0 or self.supports.max() >= self.width:
            raise ValueError(
                f"supports must lie in [0, {self.width}), got {int(self.supports.min())} to "
                f"{int(self.supports.max())}"
            )
        if (self.supports.sort(-1).values.diff(dim=-1) == 0).any():
            raise ValueError("supports must not name a coordinate twice in one sample")

    @staticmethod
    def overlapping(
        n: int, samples: int, d: int, support: int, *, noise: float = 0.1, batch: int = 1,
        seed: int = 0,
    ) -> SparseLinear:  # fmt: skip
        r"""Supports uniformly random, entries 1/\sqrt{k}, so \|a_s\| = 1 and a_s^T a_u is the share
        of common places: k/d on average, which is also the top eigenvalue of the Hessian, nearly.

        y_s = a_s^T x_true + ``noise`` times a standard normal; x_true is standard normal. float64.

        Raises:
            ValueError: n, samples, d or batch < 1, support outside [1, d], noise < 0.
        """
        for name, value in (("n", n), ("samples", samples), ("d", d)):
            require_int(name, value, 1)
        require_int("support", support, 1, d)
        require_number("noise", noise)
        key, one = Key.seed(seed).fold("sparse linear"), torch.tensor(0)
        ids = torch.arange(samples)
        order = key.fold("supports").draws(one, ids).uniform(d, torch.float64).argsort(-1)
        supports = order[:, :support].sort(-1).values.contiguous()
        values = torch.full((samples, support), support**-0.5, dtype=torch.float64)
        first = torch.zeros(1, dtype=torch.int64)
        true = key.fold("truth").draws(one, first).normal(d, torch.float64)[0]
        errors = key.fold("errors").draws(one, ids).normal(1, torch.float64)[:, 0]
        targets = (values * true[supports]).sum(-1) + noise * errors
        name = f"sparse-linear-{support}-of-{d}"
        return SparseLinear(name, n, d, supports, values, targets, batch)

    @property
    def tensor(self) -> Tensor:
        return self.values

    @property
    def d(self) -> int:
        return self.width

    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        lead = pair_shape(x, draws.workers)
        points = x.expand(*lead, self.d)
        g = torch.zeros((*lead, self.d), dtype=self.dtype, device=self.device)
        for sample in draws.integers(len(self.targets), self.batch).expand(*lead, -1).unbind(-1):
            places, entries = self.supports[sample], self.values[sample]
            products = (points.gather(-1, places) * entries).cumsum(-1)[..., -1:]
            residual = products - self.targets[sample][..., None]
            g.scatter_add_(-1, places, residual * entries / self.batch)
        return g

    def row_kernel(self) -> RowPart:
        width = self.supports.shape[1]
        ints = (width, self.batch, *self.supports.flatten().tolist())
        packed = numbers(self.dtype, self.values, self.targets, ints=ints)
        return RowPart(problem_rows.sparse_linear, packed, work=2 * self.batch * width)

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        lead = pair_shape(x, workers)
        first = torch.zeros(lead, dtype=torch.int64, device=self.device)
        count = torch.tensor([len(self.targets)], device=self.device)
        total = squares_gradient(self._dense[None], self.targets[None], count, x, first)
        return total / len(self.targets)

    @cached_property
    def _dense(self) -> Tensor:
        """The rows a_s of all S samples as one dense matrix ``[S, d]``."""
        zeros = torch.zeros((len(self.targets), self.d), dtype=self.dtype, device=self.device)
        return zeros.scatter_(-1, self.supports, self.values)

    def value(self, x: Tensor) -> Tensor:
        return 0.5 * (x @ self._dense.T - self.targets).square().mean(-1)

    def mean_gradient(self, x: Tensor) -> Tensor:
        return (x @ self._dense.T - self.targets) @ self._dense / len(self.targets)

    def noise(self, x: Tensor) -> Tensor:
        residual = (x @ self._dense.T - self.targets).square()
        second = (residual * self._dense.square().sum(-1)).mean(-1)
        variance = (second - self.mean_gradient(x).square().sum(-1)).clamp_min(0) / self.batch
        return variance[..., None].expand(*variance.shape, self.n)

    @cached_property
    def _minimum(self) -> tuple[Tensor, float]:
        rows, wanted = self._dense.cpu(), self.targets.cpu()
        x = torch.linalg.lstsq(rows, wanted[:, None], driver="gelsd").solution[:, 0]
        return x.to(self.device), 0.5 * (rows @ x - wanted).square().mean().item()

    @cached_property
    def curvatures(self) -> Tensor:
        """Eigenvalues ``[d]`` of the Hessian, ascending [f / x^2]."""
        hessian = self._dense.T @ self._dense / len(self.targets)
        values: Tensor = torch.linalg.eigvalsh(hessian)
        return values

    @cached_property
    def _constants(self) -> Constants:
        low, high = self.curvatures[0].item(), self.curvatures[-1].item()
        c = Constants().state(exact("by construction"), n=self.n, d=self.d, convex=True)
        c = c.state(exact("largest eigenvalue of the Hessian"), L=high, L_max=high)
        if low > 1e-12 * high:
            c = c.state(lower("smallest eigenvalue"), mu=low * (1 - 1e-9), mu_min=low * (1 - 1e-9))
        c = c.state(exact("all workers share the samples"), zeta2=0.0)
        c = c.state(exact("least squares"), f_star=self.f_star)
        gap = 0.5 * self.targets.square().mean().item() - self.f_star
        c = c.state(exact("at x_0 = 0", "x_0"), initial_gap=gap)
        return c.state(exact("at x_0 = 0", "x_0"), R2=self.x_star.square().sum().item())

    def data(self) -> Any:
        return {
            "problem": "sparse linear", "name": self.name, "n": self.n, "d": self.d,
            "batch": self.batch, "arrays": content_hash(self.supports, self.values, self.targets),
        }  # fmt: skip


ENTRIES = (
    ProblemEntry(
        "sparse-linear",
        "least squares whose 64 samples touch 4 of 20 coordinates each",
        lambda n: replace(SparseLinear.overlapping(n, 64, 20, 4), name="sparse-linear"),
        general=False,
    ),
)
