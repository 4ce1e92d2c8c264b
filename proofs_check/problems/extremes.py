"""Extremes of f's curvature at given points, each a certified side: by Hessians, or by Lanczos.

A Rayleigh quotient v'Hv / v'v never exceeds the largest eigenvalue, so a Lanczos vector that has
not converged still gives a valid side. Where Hessians are formed, both ends are eigenvalues.
"""

from __future__ import annotations

from typing import NamedTuple, final

import numpy as np
import scipy
import torch
from torch import Tensor

from algorithms.problems.base import Problem
from proofs_check.problems import curvature
from proofs_check.problems.curvature import Pairs
from theory.arrays import Floats

PAIR = "two points"
"""Where a slope of gradients was found."""

_ROUNDING = 1e-12  # relative error of an eigenvalue
_SECANT = 1e-8  # relative error of a slope over so short a way
_TOLERANCE, _RESTARTS = 1e-4, 40  # of Lanczos iterations


@final
class Extreme(NamedTuple):
    """One extreme curvature.

    Attributes:
        value: the curvature [f / x^2].
        slack: its error.
        method: how it was found.
        where: at which point.
    """

    value: float
    slack: float
    method: str
    where: str


@final
class Extremes(NamedTuple):
    """Largest modulus and smallest value of curvature.

    Attributes:
        norm: the largest modulus.
        least: the smallest curvature.
    """

    norm: Extreme
    least: Extreme


def extremes(
    problem: Problem, points: Tensor, labels: tuple[str, ...], slopes: Pairs, *, dense: bool
) -> Extremes:
    """Over points ``[P, d]`` with names, and over the ``slopes`` between pairs of them."""
    ends = _formed(problem, points) if dense else _by_lanczos(problem, points)
    how = "Hessians by autograd, numpy's eigenvalues" if dense else "Lanczos, Rayleigh quotients"
    size = np.abs(ends).max(axis=1)
    most, low = int(size.argmax()), int(ends[:, 0].argmin())
    slack = _ROUNDING * max(1e-300, float(size[most]))
    norm = Extreme(float(size[most]), slack, how, labels[most])
    least = Extreme(float(ends[low, 0]), 100 * slack, how, labels[low])
    if slopes.norm > norm.value:
        norm = Extreme(slopes.norm, slack, "secant slopes", PAIR)
    if slopes.least < least.value:
        least = Extreme(slopes.least, 100 * slack, "secant slopes", PAIR)
    return Extremes(norm, least)


def of_workers(
    problem: Problem, points: Tensor, slopes: Pairs, mean: Extremes, *, dense: bool
) -> Extremes:
    """Those of the f_i, beyond what is known of f, their ``mean``.

    Where it is ``dense``, all f_i are looked at along the eigenvectors of their Hessians at the
    first point and the last.
    """
    high, low = slopes.norm_worker, slopes.least_worker
    how, where = "secant slopes", PAIR
    if dense:
        near = [_along_eigenvectors(problem, x) for x in points[[0, -1]]]
        steep, flat = max(one[1] for one in near), min(one[0] for one in near)
        where = PAIR if high > steep else f"points {2 * curvature.STEP:g} apart"
        high, low = max(high, steep), min(low, flat)
    slack = _SECANT * max(1e-300, high)
    most = max(mean.norm, Extreme(high, slack, how, where), key=lambda one: one.value)
    least = min(mean.least, Extreme(low, slack, how, where), key=lambda one: one.value)
    return Extremes(most, least)


def _along_eigenvectors(problem: Problem, x: Tensor) -> tuple[float, float]:
    """Smallest and largest slope of any grad f_i at one x, between points that lie apart along
    eigenvectors of its Hessian: true of gradients wherever f_i has kinks."""
    h, workers = curvature.STEP, torch.arange(problem.n)
    steps = h * torch.eye(problem.d, dtype=x.dtype)
    rows = problem.all_gradients(x + steps) - problem.all_gradients(x - steps)  # [d, n, d]
    hessians = rows.movedim(1, 0) / (2 * h)
    vectors = torch.linalg.eigh((hessians + hessians.mT) / 2)[1]
    ends = vectors[..., [0, -1]].mT.movedim(1, 0)  # [2, n, d]
    change = problem.full_gradient(x + h * ends, workers) - problem.full_gradient(
        x - h * ends, workers
    )
    along = (change * ends).sum(-1) / (2 * h)
    return float(along.min()), float((change.norm(dim=-1) / (2 * h)).max())


def _formed(problem: Problem, points: Tensor) -> Floats:
    """Smallest and largest eigenvalue ``[P, 2]``."""
    return np.asarray(curvature.spectrum(problem, points).values[:, [0, -1]])


def _by_lanczos(problem: Problem, points: Tensor) -> Floats:
    return np.array([rayleigh_ends(problem, x) for x in points])


def rayleigh_ends(problem: Problem, x: Tensor) -> tuple[float, float]:
    """Rayleigh quotients, at one x ``[d]``, of the vectors that Lanczos gives for both ends."""
    point = x.clone().requires_grad_()
    (slope,) = torch.autograd.grad(problem.value(point), point, create_graph=True)
    if not slope.requires_grad:  # piecewise linear: no curvature where there is a derivative
        return 0.0, 0.0

    def times(v: Floats) -> Floats:
        direction = torch.from_numpy(np.ascontiguousarray(v.reshape(-1))).to(x.dtype)
        (product,) = torch.autograd.grad(
            slope @ direction, point, retain_graph=True, allow_unused=True
        )
        return np.zeros(problem.d) if product is None else product.double().numpy()

    operator = scipy.sparse.linalg.LinearOperator(
        (problem.d, problem.d), matvec=times, dtype=np.float64
    )
    start = np.cos(np.arange(problem.d, dtype=np.float64))
    if not np.any(times(start)):
        return 0.0, 0.0
    if problem.d <= 2:  # Lanczos needs more dimensions than it finds eigenvectors
        rows = np.stack([times(one) for one in np.eye(problem.d)])
        ends = np.linalg.eigvalsh((rows + rows.T) / 2)
        return float(ends[0]), float(ends[-1])
    try:
        _, vectors = scipy.sparse.linalg.eigsh(
            operator, k=2, which="BE", v0=start, tol=_TOLERANCE, maxiter=_RESTARTS
        )
    except scipy.sparse.linalg.ArpackNoConvergence as error:
        vectors = np.column_stack((start, error.eigenvectors))
    except scipy.sparse.linalg.ArpackError:
        vectors = start[:, None]
    quotients = [float(v @ times(v) / (v @ v)) for v in vectors.T]
    return min(quotients), max(quotients)
