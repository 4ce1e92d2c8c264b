"""Random quadratics: gradients along random directions, whose noise vanishes at the minimum."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self, final

import torch
from torch import Tensor

from algorithms.core.key import Draws
from algorithms.kernels.drawn_rows import along_directions
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.kernels.squares import squares_gradient
from algorithms.problems.base import Problem, exact, require_finite, require_int
from algorithms.problems.entry import ProblemEntry
from algorithms.problems.tensor_problem import TensorProblem
from theory.constants import Constants

_D = 10  # parameters of the catalogue's


@final
@dataclass(frozen=True, eq=False)
class RandomQuadratic(TensorProblem):
    r"""f_i(x) = \frac12 E (z^T (x - c_i))^2 = \frac12 \|x - c_i\|^2, z standard normal in R^d.

    A stochastic gradient is z z^T (x - c_i), averaged over ``batch`` directions: its noise has the
    mean square (d + 1)/batch \|x - c_i\|^2, so no sigma2 holds everywhere, and where all workers
    have one minimiser a constant stepsize converges linearly, if it is not too long. ``centres`` is
    ``[n, d]``; x_0 = 0. (Vogels, Hendrikx, Jaggi 2022, arXiv:2206.03093, Section 3.1.)

    Attributes:
        name: what reports call it.

    Raises:
        ValueError: centres that are not finite or not ``[n, d]``, or batch < 1.
    """

    name: str
    centres: Tensor
    batch: int = 1

    rowwise = mean_rowwise = value_rowwise = True

    def __post_init__(self) -> None:
        if self.centres.ndim != 2 or 0 in self.centres.shape:
            raise ValueError(
                f"centres must be [n, d] and not empty, got {tuple(self.centres.shape)}"
            )
        require_finite("centres", self.centres)
        require_int("batch", self.batch, 1)

    @property
    def tensor(self) -> Tensor:
        return self.centres

    @property
    def excess(self) -> float:
        r"""E\|g_i(x) - grad f_i(x)\|^2 over \|x - c_i\|^2: (d + 1)/batch."""
        return (self.d + 1) / self.batch

    @cached_property
    def x_star(self) -> Tensor:
        return self.centres.mean(0)

    @cached_property
    def f_star(self) -> float:
        return float(self.value(self.x_star))

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        return x - self.centres[workers]

    def gradient(self, x: Tensor, draws: Draws) -> Tensor:
        off = self.full_gradient(x, draws.workers)
        z = draws.normal(self.batch * self.d, self.dtype).reshape(-1, self.batch, self.d)
        each = torch.arange(len(z), device=z.device)
        held, nothing = torch.full_like(each, self.batch), torch.zeros_like(z[..., 0])
        lead = off.shape[:-1]
        return squares_gradient(z, nothing, held, off, each.view(lead)) / self.batch

    def row_kernel(self) -> RowPart:
        packed = numbers(self.dtype, self.centres, ints=(self.batch,))
        return RowPart(along_directions, packed, work=8 * self.batch * self.d)

    def value(self, x: Tensor) -> Tensor:
        return 0.5 * (x[..., None, :] - self.centres).square().sum(-1).mean(-1)

    def mean_gradient(self, x: Tensor) -> Tensor:
        return x - self.x_star

    def noise(self, x: Tensor) -> Tensor:
        return self.excess * (x[..., None, :] - self.centres).square().sum(-1)

    def resampled(self, factor: int) -> Self:
        return type(self)(self.name, self.centres, self.batch * factor)

    @cached_property
    def _constants(self) -> Constants:
        spread = float((self.centres - self.x_star).square().sum(-1).mean())
        square = float(self.x_star.square().sum())
        c = Constants().state(exact("by construction"), n=self.n, d=self.d, convex=True)
        c = c.state(exact("identity Hessians"), L=1.0, mu=1.0, L_max=1.0, mu_min=1.0, pl=1.0)
        c = c.state(exact("closed form"), zeta2=spread, f_star=self.f_star, hessian_lipschitz=0.0)
        return c.state(exact("closed form", "x_0"), R2=square, initial_gap=0.5 * square)

    @cached_property
    def _data(self) -> dict[str, Any]:
        return self.described("random quadratic", self.centres, batch=self.batch)


def one_minimum(n: int, d: int = _D) -> Problem:
    """One minimiser for all workers, at distance 1 of x_0, in no coordinate direction."""
    return RandomQuadratic("random-quadratic", torch.full((n, d), d**-0.5, dtype=torch.float64))


ENTRIES = (
    ProblemEntry(
        "random-quadratic",
        "gradients along random directions, noise that vanishes at the minimum (Vogels et al.)",
        one_minimum,
        general=False,
    ),
)
