"""Curvature of a problem's code: eigenvalues where Hessians can be formed, else what can be had.

Nothing here reads a stated constant; :mod:`proofs_check.problems.check` holds these numbers against
them.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy
import torch
from torch import Tensor

from algorithms.problems.base import Problem
from theory.arrays import Floats

STEP = 1e-4  # of central differences [x]
_CLOSE = 1e-10  # of ||x||^2: squared distance below which a slope is rounding


class HessianSpectrum(NamedTuple):
    """Eigenvalues ``[P, d]``, ascending, and eigenvectors ``[P, d, d]`` of f's Hessians.

    Attributes:
        values: eigenvalues, ascending ``[P, d]``.
        vectors: eigenvectors, in columns ``[P, d, d]``.
    """

    values: Floats
    vectors: Floats

    @property
    def norm(self) -> float:
        """Largest modulus: the smoothness seen."""
        return float(np.abs(self.values).max())


def spectrum(problem: Problem, points: Tensor) -> HessianSpectrum:
    """Hessians of f at points ``[P, d]`` by automatic differentiation, diagonalised by numpy."""
    hessian = torch.autograd.functional.hessian
    found = [hessian(problem.value, x).numpy() for x in points]  # type: ignore[no-untyped-call]
    return HessianSpectrum(*np.linalg.eigh(np.stack(found)))


def largest_curvature(problem: Problem, points: Tensor) -> float:
    """Largest modulus of an eigenvalue of f's Hessian by Lanczos, for any d; never forms it."""
    return max(_lanczos(problem, x) for x in points)


def _lanczos(problem: Problem, x: Tensor) -> float:
    point = x.clone().requires_grad_()
    (slope,) = torch.autograd.grad(problem.value(point), point, create_graph=True)

    def times(v: Floats) -> Floats:
        direction = torch.from_numpy(np.ascontiguousarray(v.reshape(-1))).to(x.dtype)
        (product,) = torch.autograd.grad(slope @ direction, point, retain_graph=True)
        return np.asarray(product.double().numpy())

    if problem.d == 1:  # Lanczos needs more dimensions than it finds eigenvalues
        return float(np.abs(times(np.ones(1)))[0])
    operator = scipy.sparse.linalg.LinearOperator(
        (problem.d, problem.d), matvec=times, dtype=np.float64
    )
    start = np.cos(np.arange(problem.d, dtype=np.float64))
    found = scipy.sparse.linalg.eigsh(
        operator, k=1, which="LM", v0=start, return_eigenvectors=False
    )
    return float(np.abs(found).max())


def worker_extremes(problem: Problem, points: Tensor) -> tuple[float, float]:
    """Smallest and largest eigenvalue of any f_i's Hessian, by central differences."""
    step = STEP * torch.eye(problem.d, dtype=problem.dtype)
    values = []
    for x in points:
        rows = problem.all_gradients(x + step) - problem.all_gradients(x - step)  # [d, n, d]
        hessians = (rows / (2 * STEP)).movedim(1, 0).numpy()
        values.append(np.linalg.eigvalsh((hessians + hessians.swapaxes(1, 2)) / 2))
    return float(np.min(values)), float(np.max(values))


class Pairs(NamedTuple):
    """Over pairs x, y: extremes of <grad(x) - grad(y), x - y> / ||x - y||^2, and of the norms'
    ratio; of f and of any f_i. Valid for any d, but short of the true extremes in general.

    Attributes:
        least: smallest curvature of f between two of the points [f / x^2].
        norm: largest ratio of norms of f.
        least_worker: smallest curvature of any f_i.
        norm_worker: largest ratio of norms of any f_i.
    """

    least: float
    norm: float
    least_worker: float
    norm_worker: float


def pairs(problem: Problem, points: Tensor) -> Pairs:
    """Gradients at all pairs of points ``[P, d]`` that are apart: slopes are 0 where none is."""
    first, second = torch.triu_indices(len(points), len(points), 1)
    apart = points[first] - points[second]
    square = apart.square().sum(-1)
    used = square > _CLOSE * points.square().sum(-1).max()
    if not bool(used.any()):
        return Pairs(math.inf, 0.0, math.inf, 0.0)
    apart, square = apart[used], square[used]
    mean = problem.mean_gradient(points)
    rows = problem.all_gradients(points)  # [P, n, d]
    change = (mean[first] - mean[second])[used]
    changes = (rows[first] - rows[second])[used]
    least = ((change * apart).sum(-1) / square).min()
    least_worker = ((changes * apart[:, None]).sum(-1) / square[:, None]).min()
    norm = (change.norm(dim=-1) / square.sqrt()).max()
    norms = changes.norm(dim=-1) / square.sqrt()[:, None]
    return Pairs(float(least), float(norm), float(least_worker), float(norms.max()))
