"""Geometry: the distance by which a step on a convex set is measured (a mirror map)."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import final

import torch
from torch import Tensor

from algorithms.kernels.row_norms import mean_abs
from algorithms.kernels.row_parts import RowPart, published
from algorithms.kernels.scaled_sum import add_scaled
from algorithms.problems.base import Problem, exact, require_number, upper
from algorithms.sets.base import ConvexSet, Unconstrained
from algorithms.sets.simplex import Simplex
from theory.constants import Constants

_START = ("f_star", "initial_gap", "R2")


class Geometry(ABC):
    r"""A convex set and a Bregman distance D on it, 1-strongly convex in some norm.

    Members are frozen dataclasses.
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    def within(self, c: Constants, problem: Problem) -> Constants:
        """Part of the problem's constants ``c`` that theorems may use for models on the set.

        Here no lengths of gradients and no distances or gaps of the start, D measuring otherwise.
        """
        return c.without("lipschitz", *_START)

    def radius(self, d: int) -> float:
        """The largest norm of a point of the set in R^d [x]; infinite where none is known."""
        return math.inf

    @abstractmethod
    def start(self, x0: Tensor) -> Tensor:
        """Initial models ``[..., m, d]``, given the problem's start."""

    @abstractmethod
    def step(self, x: Tensor, g: Tensor, gamma: float) -> Tensor:
        r""":math:`\arg\min_{u \in X} \gamma \langle g, u \rangle + D(u, x)`, rows ``[..., m, d]``.

        With x the start and g a sum of gradients it is the primal point of dual averaging for
        the prox function D(., start).
        """

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart | None:
        """Kernel of :meth:`step` on rows x - gamma g, as a compiled function of kind "change";
        None: there is none, or a step is something else."""
        return None


@final
@dataclass(frozen=True)
class Euclidean(Geometry):
    r"""D(u, x) = ||u - x||^2 / 2: :math:`\Pi_X(x - \gamma g)`.

    Attributes:
        domain: X.
    """

    domain: ConvexSet = field(default_factory=Unconstrained)

    @property
    def name(self) -> str:
        return f"euclidean on {self.domain.name}"

    def radius(self, d: int) -> float:
        return self.domain.radius(d)

    def within(self, c: Constants, problem: Problem) -> Constants:
        """Gradients are bounded on a bounded set; minimum and start must lie in it to be used."""
        bound = problem.lipschitz(self.domain.radius(problem.d))
        if c.lipschitz is None and bound < math.inf:
            known = upper("bounded models", f"on {self.domain.name}")
            c = c.state(known, lipschitz=bound)
        places = (problem.start(), problem.x_star)
        inside = all(x is None or self.domain.contains(x) for x in places)
        return c if inside else c.without(*_START)

    def start(self, x0: Tensor) -> Tensor:
        return self.domain.project(x0)

    def step(self, x: Tensor, g: Tensor, gamma: float) -> Tensor:
        return self.domain.project(add_scaled(x, -gamma, g))

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart | None:
        found: RowPart | None = published(self.domain, d, dtype)
        return found


@final
@dataclass(frozen=True)
class NegativeEntropy(Geometry):
    r"""Negative entropy on the simplex of sum ``total``: x_j e^{-\gamma g_j} / sum, times total.

    D(u, x) = sum_j u_j log(u_j / x_j), 1-strongly convex in the 1-norm for total 1 (Pinsker). The
    start is the simplex's centre, whatever the problem's (Beck, Teboulle 2003, Oper. Res. Lett.).

    Raises:
        ValueError: total is not positive and finite.
    """

    total: float = 1.0

    def __post_init__(self) -> None:
        require_number("total", self.total, strict=True)

    @property
    def name(self) -> str:
        return f"entropy on the simplex(total={self.total:g})"

    def within(self, c: Constants, problem: Problem) -> Constants:
        """Constants if the total is 1: the largest gradient entry there, and the divergence of the
        centre from a minimiser on the simplex."""
        c, star = super().within(c, problem), problem.x_star
        entry = problem.largest_entry(self.total)
        if self.total != 1 or star is None or not Simplex().contains(star) or entry == math.inf:
            return c
        far = float(torch.special.xlogy(star, star * len(star)).sum())
        known = upper("bounded models", f"on {self.name}")
        return c.state(known, lipschitz_one=entry).state(
            exact("closed form", "x_0 the centre"), divergence=far
        )

    def radius(self, d: int) -> float:
        return self.total

    def start(self, x0: Tensor) -> Tensor:
        return torch.full_like(x0, self.total / x0.shape[-1])

    def step(self, x: Tensor, g: Tensor, gamma: float) -> Tensor:
        least = g.amin(-1, keepdim=True)
        weights = x * torch.exp(-gamma * (g - least))
        return weights * (self.total / (mean_abs(weights) * x.shape[-1]))
