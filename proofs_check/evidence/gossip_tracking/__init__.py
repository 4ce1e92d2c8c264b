"""Evidence of gossip that tracks gradients or corrects its bias.

Instances of the family's closed forms: two workers with numbers, many by a drawn matrix.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.base import Topology
from algorithms.topologies.fixed import FixedMatrix
from proofs_check.instruments.paths import path
from theory.arrays import Floats
from theory.stepsizes import ConstantStep, Stepsize

Build = Callable[[Stepsize, Topology], Method[Any]]
"""A method of a stepsize rule and a topology."""


def pair(lam: float = 0.5) -> FixedMatrix:
    """W of two workers with the eigenvalues 1 and ``lam``."""
    return FixedMatrix(np.full((2, 2), (1 - lam) / 2) + lam * np.eye(2))


def two_curvatures() -> Quadratic:
    """f_i(x) = a_i (x - c_i)^2 / 2, a = (1, 4), c = (0, 1): x* = 0.8, start 0."""
    a = torch.tensor([[1.0], [4.0]], dtype=torch.float64)
    return Quadratic.from_arrays(a, torch.tensor([[0.0], [1.0]], dtype=torch.float64))


def drawn_quadratic(n: int, d: int, seed: int) -> Quadratic:
    """Hessians uniform in (1/2, 3/2), minimisers standard normal, no noise."""
    generator = np.random.default_rng(seed)
    a = torch.from_numpy(generator.uniform(0.5, 1.5, size=(n, d)))
    return Quadratic.from_arrays(a, torch.from_numpy(generator.normal(size=(n, d))))


def drawn_weights(n: int, seed: int) -> FixedMatrix:
    """Symmetric weights on a complete graph, none like another; the eigenvalues are positive."""
    generator = np.random.default_rng(seed)
    links = np.triu(generator.uniform(0.2, 1.0, size=(n, n)), 1) / (2 * n)
    w = links + links.T
    return FixedMatrix(w + np.diag(1 - w.sum(1)))


def rows_after(method: Method[Any], problem: Problem, steps: int) -> Tensor:
    """Models ``[n, d]`` of the one replica after so many steps."""
    state = None
    for moment in path(method, problem, steps):
        state = moment.state
    return method.models(state)[0].expand(problem.n, problem.d)


def rows_along(method: Method[Any], problem: Problem, steps: int) -> Floats:
    """Models ``[steps + 1, n, d]`` of the one replica."""
    moments = path(method, problem, steps)
    return np.stack([method.models(moment.state)[0].numpy() for moment in moments])


def force(problem: Quadratic) -> Callable[[Floats], Floats]:
    """Exact gradients of rows ``[n, d]``, by the problem's own numbers in numpy."""
    a, c = problem.a.numpy(), problem.c.numpy()
    return lambda x: a * x - c


def growth(build: Build, s: float, lam: float) -> float:
    """Factor a step of the mode ``lam`` on one curvature of 1 at stepsize ``s``.

    Two workers with minimisers 1 and -1 start at their mean: from step 1 on the difference follows
    x^{t+2} = p x^{t+1} - q x^t, with p and q from four models in a row.
    """
    ones = torch.ones((2, 1), dtype=torch.float64)
    problem = Quadratic.from_arrays(ones, ones * torch.tensor([[1.0], [-1.0]]))
    x = rows_along(build(ConstantStep(s), pair(lam)), problem, 4)[:, 0, 0]
    p, q = np.linalg.solve([[x[2], -x[1]], [x[3], -x[2]]], [x[3], x[4]])
    return float(np.abs(np.roots([1.0, -p, q])).max())
