"""Curvature at a point, for problems that state no L."""

from __future__ import annotations

import torch

from algorithms.problems.base import Problem

_ROUNDS = 30
_SHIFT = 1e-3  # of the model, in units of x: differences of gradients, central


def curvature_at_start(problem: Problem) -> float:
    """Largest |eigenvalue| of the Hessian of f at x_0 [f / x^2], by power iteration.

    A Hessian times a vector is a central difference of exact gradients. From below, and of one
    point: no Lipschitz constant, and no theorem may use it. 1 where f is flat there.
    """
    x, v = problem.start(), torch.ones(problem.d, dtype=problem.dtype, device=problem.device)
    v[1::2] = -0.5  # neither even nor odd under the symmetries of a network's units
    found = 0.0
    for _ in range(_ROUNDS):
        v = v / v.norm() * _SHIFT
        there, back = problem.mean_gradient(torch.stack((x + v, x - v)))
        v = (there - back) / 2
        found = float(v.norm()) / _SHIFT
        if not found > 0:
            return 1.0
    return found
