"""Squared distances with noise of mean zero whose largest entries are not: no symmetry at all."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, final

import torch
from torch import Tensor

from algorithms.core.key import Draws
from algorithms.kernels.devices import put
from algorithms.kernels.drawn_rows import skewed as skewed_rows
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.problems.base import Problem, exact, require_finite, require_int
from algorithms.problems.entry import ProblemEntry
from algorithms.problems.tensor_problem import TensorProblem
from theory.constants import Constants

OUTCOMES = torch.tensor([[2.0, 0.0], [0.0, 1.0], [-2.0, -1.0]], dtype=torch.float64)
"""Noise of a gradient in the plane, each row with probability 1/3: mean 0, but the largest entries
of the rows (2, 0), (0, 1), (-2, 0) have the mean (0, 1/3)."""


@final
@dataclass(frozen=True, eq=False)
class SkewedNoise(TensorProblem):
    r"""f_i(x) = \frac12 \|x - c_i\|^2 in the plane; a gradient is x - c_i + the mean of ``batch``
    rows of :data:`OUTCOMES` by lot.

    What compresses noise alone is off by a bias that neither more workers nor shorter steps take
    away (in the way of Fatkhullin, Tyurin, Richtarik 2023, arXiv:2305.15155, Theorem 1, for EF21
    with stochastic gradients). x_0 = 0.

    Attributes:
        name: what reports call it.
        centres: the minimisers c_i of the workers ``[n, 2]``.
        batch: rows that a gradient averages.

    Raises:
        ValueError: centres that are not finite or not ``[n, 2]``, or batch < 1.
    """

    name: str
    centres: Tensor
    batch: int = 1

    rowwise = mean_rowwise = value_rowwise = True

    def __post_init__(self) -> None:
        if self.centres.ndim != 2 or self.centres.shape[-1] != 2 or not len(self.centres):
            raise ValueError(f"centres must be [n, 2], got {tuple(self.centres.shape)}")
        require_finite("centres", self.centres)
        require_int("batch", self.batch, 1)

    @property
    def tensor(self) -> Tensor:
        return self.centres

    @cached_property
    def x_star(self) -> Tensor:
        return self.centres.mean(0)

    @cached_property
    def f_star(self) -> float:
        return float(self.value(self.x_star))

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        return x - self.centres[workers]

    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        rows = put(OUTCOMES.to(self.centres.dtype), self.centres.device)[
            draws.integers(len(OUTCOMES), self.batch)
        ]
        total = sum(rows.unbind(-2), start=torch.zeros_like(rows[..., 0, :]))
        return self.full_gradient(x, draws.workers) + total / self.batch

    def row_kernel(self) -> RowPart:
        outcomes = OUTCOMES.to(self.dtype)
        packed = numbers(self.dtype, self.centres, outcomes, ints=(self.batch,))
        return RowPart(skewed_rows, packed, work=8 * self.d)

    def value(self, x: Tensor) -> Tensor:
        return 0.5 * (x[..., None, :] - self.centres).square().sum(-1).mean(-1)

    def mean_gradient(self, x: Tensor) -> Tensor:
        return x - self.x_star

    def noise(self, x: Tensor) -> Tensor:
        return torch.full((*x.shape[:-1], self.n), self._variance, dtype=x.dtype, device=x.device)

    @property
    def _variance(self) -> float:
        return float(OUTCOMES.square().sum(-1).mean()) / self.batch

    def resampled(self, factor: int) -> Self:
        return type(self)(self.name, self.centres, self.batch * factor)

    @cached_property
    def _constants(self) -> Constants:
        spread = float((self.centres - self.x_star).square().sum(-1).mean())
        square = float(self.x_star.square().sum())
        c = Constants().state(exact("by construction"), n=self.n, d=self.d, convex=True)
        c = c.state(exact("identity Hessians"), L=1.0, mu=1.0, L_max=1.0, mu_min=1.0, pl=1.0)
        c = c.state(exact("three outcomes"), sigma2=self._variance)
        c = c.state(exact("closed form"), zeta2=spread, f_star=self.f_star, hessian_lipschitz=0.0)
        return c.state(exact("closed form", "x_0"), R2=square, initial_gap=0.5 * square)

    @cached_property
    def _data(self) -> dict[str, Any]:
        return self.described("skewed noise", self.centres, batch=self.batch)


def skewed(n: int) -> Problem:
    """One minimiser (1, 1) for all workers."""
    return SkewedNoise("skewed-noise", torch.ones((n, 2), dtype=torch.float64))


def skewed_unlike(n: int) -> Problem:
    """Minimisers on a circle of radius 2 around (1, 1)."""
    angles = 2 * torch.pi * torch.arange(n, dtype=torch.float64) / n
    circle = 2 * torch.stack((angles.cos(), angles.sin()), -1)
    return SkewedNoise("skewed-noise of workers that differ", 1 + circle)


ENTRIES = (
    ProblemEntry(
        "skewed-noise",
        "squared distances in the plane, noise whose largest entries have another mean than 0",
        skewed,
        general=False,
    ),
)
