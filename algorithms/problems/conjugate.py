"""Gradients of conjugates: where a worker's objective, tilted by a dual, is smallest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.problems.base import Problem, require_number

_ASSUMED = 10.0  # L [f / x^2] where none is stated (the MLP), as in Problem.proximal_point
_SOFT = 1e-5  # weight of a proximal pass in units of alpha: a pass leaves 1e-5 of the distance
_PASSES = 3
_REFRESH = 2  # steps between two moves of the centres, the second with momentum


@final
@dataclass(frozen=True)
class LocalModel:
    r"""h_i(x) = f_i(x) + \frac{w}{2} \|x - z_i\|^2, strongly convex: what dual methods work on.

    ``alpha`` and ``beta`` bound its curvature [f / x^2], ``weight`` is w. With w = 0 it is f_i
    itself. Where f_i is not strongly convex, w > 0 and the centres z_i move to the workers' models
    every ``refresh`` steps: the mean of the h_i is f + w/2 ||x - mean z||^2 + const, so a dual
    method makes a proximal-point step on f between two moves (Rockafellar 1976, SIAM J. Control
    Optim. 14), whose fixed points are stationary points of f. For non-convex f_i that is a
    surrogate: the papers' rates speak of each such step, not of f.

    Raises:
        ValueError: alpha not positive, beta < alpha, weight < 0, or refresh < 0.
    """

    alpha: float
    beta: float
    weight: float = 0.0
    refresh: int = 0

    def __post_init__(self) -> None:
        require_number("alpha", self.alpha, strict=True)
        require_number("beta", self.beta, self.alpha)
        require_number("weight", self.weight)
        require_number("refresh", self.refresh)

    @staticmethod
    def from_problem(problem: Problem) -> LocalModel:
        """f_i itself where mu_min > 0 is stated; else w = L (convex) or 2 L (non-convex)."""
        c = problem.constants()
        smooth = c.L_max or c.L or _ASSUMED
        if c.mu_min:
            return LocalModel(c.mu_min, max(smooth, c.mu_min))
        if c.convex:
            return LocalModel(smooth, 2 * smooth, smooth, _REFRESH)
        return LocalModel(smooth, 3 * smooth, 2 * smooth, _REFRESH)

    @property
    def kappa(self) -> float:
        """Local condition number beta / alpha."""
        return self.beta / self.alpha

    def moves_at(self, t: int) -> bool:
        """Whether the centres move to the models before step t."""
        return self.refresh > 0 and t > 0 and t % self.refresh == 0

    def argmin(
        self, problem: Problem, y: Tensor, centre: Tensor, workers: Tensor, start: Tensor
    ) -> Tensor:
        r"""\nabla h_i^*(y_i) = \arg\min_x h_i(x) - <y_i, x> ``[..., k, d]`` for duals y, ``centre``
        and ``start`` of that shape and ``workers`` ``[k]``.

        With a weight, the proximal point of f_i at z_i + y_i / w; without, the problem's own tilted
        minimum, or three proximal-point passes x <- prox(x + y_i / s), s = alpha / 100000, each of
        which leaves at most s / (s + alpha) of the distance: 1e-15 of it in all. As exact as
        :meth:`Problem.proximal_point`.
        """
        shape = workers.shape[-1:]
        if self.weight > 0:
            pull = torch.full(shape, self.weight, dtype=y.dtype, device=y.device)
            return problem.proximal_point(centre + y / self.weight, pull, workers, start)
        x = problem.tilted_minimum(y, workers, start)
        if x is not None:
            return x
        soft, x = _SOFT * self.alpha, start
        pull = torch.full(shape, soft, dtype=y.dtype, device=y.device)
        for _ in range(_PASSES):
            x = problem.proximal_point(x + y / soft, pull, workers, x)
        return x
