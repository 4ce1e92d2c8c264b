"""Nesterov's chain split between two far workers: the instance behind the lower bounds."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any, final

import torch
from torch import Tensor

from algorithms.kernels import problem_rows
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.problems.base import exact, require_int, require_number
from algorithms.problems.entry import ProblemEntry
from algorithms.problems.tensor_problem import Noiseless, TensorProblem
from theory.constants import Constants


@final
@dataclass(frozen=True, eq=False)
class NesterovChain(Noiseless, TensorProblem):
    r"""f_i(x) = \frac{\alpha}{2} \|x\|^2 + \frac{c}{2} \sum_{j \in P_i} (x_j - x_{j+1})^2 - c x_0
    [i = 0], c = (\beta - \alpha)/2.

    P_0 holds the odd j, P_{n-1} the even ones, the others are empty: to make coordinate j + 1
    nonzero the two ends must speak in turn, whatever first-order or proximal step they take.
    (Scaman et al. 2017, arXiv:1702.08704, proof of Theorem 2, after Nesterov 2004, section 2.1.4.)
    All f_i are alpha-strongly convex and beta-smooth; gradients are exact; x_0 = 0.

    Attributes:
        workers: number n of workers.
        width: number d of coordinates.
        alpha: strong convexity of every f_i [f / x^2].
        beta: smoothness of every f_i [f / x^2].
        number: the type that it computes in.

    Raises:
        ValueError: fewer than 2 workers or 3 coordinates, alpha not positive, beta < alpha.
    """

    workers: int
    width: int
    alpha: float
    beta: float
    number: torch.dtype = torch.float64

    def __post_init__(self) -> None:
        require_int("workers", self.workers, 2)
        require_int("width", self.width, 3)
        require_number("alpha", self.alpha, strict=True)
        require_number("beta", self.beta, self.alpha)

    @cached_property
    def name(self) -> str:
        return f"relay, kappa = {self.beta / self.alpha:g}"

    @property
    def tensor(self) -> Tensor:
        return self._slope

    @cached_property
    def _coupling(self) -> float:
        return (self.beta - self.alpha) / 2

    @cached_property
    def _pairs(self) -> Tensor:
        """``[n, d - 1]``: 1 where the worker couples j and j + 1."""
        pairs = torch.zeros((self.workers, self.width - 1), dtype=self.number)
        pairs[0, 1::2] = 1.0
        pairs[-1, 0::2] = 1.0
        return pairs

    @cached_property
    def _slope(self) -> Tensor:
        """Linear terms ``[n, d]``."""
        slope = torch.zeros((self.workers, self.width), dtype=self.number)
        slope[0, 0] = self._coupling
        return slope

    def _coupled(self, x: Tensor, workers: Tensor) -> Tensor:
        """Sum over the worker's pairs of (e_j - e_{j+1}) (x_j - x_{j+1})."""
        away = (x[..., :-1] - x[..., 1:]) * self._pairs[workers]
        pad = torch.nn.functional.pad
        return pad(away, (0, 1)) - pad(away, (1, 0))

    def full_gradient(self, x: Tensor, workers: Tensor) -> Tensor:
        return self.alpha * x + self._coupling * self._coupled(x, workers) - self._slope[workers]

    def full_row_kernel(self) -> RowPart:
        return self.row_kernel()

    def row_kernel(self) -> RowPart:
        bends = torch.tensor([self.alpha, self._coupling], dtype=self.dtype)
        packed = numbers(self.dtype, self._pairs, self._slope, bends)
        return RowPart(problem_rows.chain, packed, draws=False, work=4 * self.d)

    def proximal_point(self, v: Tensor, weight: Tensor, workers: Tensor, start: Tensor) -> Tensor:
        """Exact: pairs are disjoint, so each is solved alone."""
        pull = weight[..., None]
        right, flat = pull * v + self._slope[workers], self.alpha + pull
        share = self._coupling / (flat + 2 * self._coupling)
        return (right - share * self._coupled(right, workers)) / flat

    @cached_property
    def _hessian(self) -> Tensor:
        pairs = self._pairs.sum(0) / self.n
        ones = torch.cat((pairs, pairs.new_zeros(1))) + torch.cat((pairs.new_zeros(1), pairs))
        chain = torch.diag(ones) - torch.diag(pairs, 1) - torch.diag(pairs, -1)
        return self.alpha * torch.eye(self.d, dtype=self.dtype) + self._coupling * chain

    @cached_property
    def x_star(self) -> Tensor:
        best: Tensor = torch.linalg.solve(self._hessian, self._slope.mean(0))
        return best

    @cached_property
    def f_star(self) -> float:
        return -0.5 * float(self._slope.mean(0) @ self.x_star)

    def value(self, x: Tensor) -> Tensor:
        z = x - self.x_star
        return self.f_star + 0.5 * ((z @ self._hessian) * z).sum(-1)

    def mean_gradient(self, x: Tensor) -> Tensor:
        return (x - self.x_star) @ self._hessian

    @cached_property
    def _constants(self) -> Constants:
        if self.number != torch.float64:
            return self.double()._constants
        values = torch.linalg.eigvalsh(self._hessian)
        c = Constants().state(exact("by construction"), n=self.n, d=self.d, convex=True, sigma2=0.0)
        c = c.state(exact("eigenvalues"), L=values[-1].item(), mu=values[0].item())
        c = c.state(exact("a coupled pair"), L_max=self.beta, mu_min=self.alpha)
        c = c.state(exact("linear solve"), f_star=self.f_star)
        gap = self.value(self.start()).item() - self.f_star
        c = c.state(exact("closed form", "x_0 = 0"), initial_gap=gap)
        return c.state(exact("linear solve", "x_0 = 0"), R2=float(self.x_star @ self.x_star))

    @cached_property
    def _data(self) -> dict[str, Any]:
        return {
            "problem": "relay", "n": self.n, "d": self.d, "alpha": self.alpha, "beta": self.beta,
        }  # fmt: skip


ENTRIES = (
    ProblemEntry(
        "relay, kappa = 100",
        "the hard quadratic of the lower bounds, kappa = 100, split between the two end workers",
        lambda n: NesterovChain(n, 20, 1.0, 100.0),
        general=False,
        least_workers=2,
    ),
)
