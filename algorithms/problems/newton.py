"""Minimum of l2-regularised logistic regression to rounding, by Newton's method with CG.

All is computed in double precision, from rows of single precision without a wide copy of them.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from algorithms.kernels.row_products import times, transposed_times, weighted_gram_times
from theory.arrays import Floats

_STEPS = 100
_GAP = 1e-12


class _Point(NamedTuple):
    """A point x ``[d]`` with P x ``[N]`` and f(x)."""

    x: Floats
    z: Floats
    value: float


def objective(rows: Floats, lam: float, x: Floats) -> float:
    r"""(1/N) \sum_s \log(1 + e^{-p_s^T x}) + (lam/2) ||x||^2 for signed rows p ``[N, d]``
    (float32 or float64)."""
    return _at(rows, lam, x).value


def _at(rows: Floats, lam: float, x: Floats) -> _Point:
    z = times(rows, x)
    return _Point(x, z, float(np.logaddexp(0.0, -z).mean() + 0.5 * lam * x @ x))


def gradient(rows: Floats, lam: float, x: Floats) -> Floats:
    """Gradient of :func:`objective` ``[d]``."""
    return _gradient(rows, lam, _at(rows, lam, x))


def _gradient(rows: Floats, lam: float, at: _Point) -> Floats:
    slopes = scipy.special.expit(-at.z)
    return np.asarray(lam * at.x - transposed_times(rows, slopes) / len(rows))


def minimise(rows: Floats, lam: float) -> Floats:
    """The minimiser ``[d]``; deterministic; started at 0.

    Strong convexity certifies it: f(x) - f* <= ||grad f(x)||^2 / (2 lam). Newton steps go on until
    the gradient norm stops falling, far below what the certificate asks.

    Raises:
        ArithmeticError: the certified gap exceeds 1e-12 after 100 steps.
    """
    here = _at(rows, lam, np.zeros(rows.shape[1]))
    g = _gradient(rows, lam, here)
    for _ in range(_STEPS):
        candidate = _line_search(rows, lam, here, _direction(rows, lam, here, g))
        ahead = _gradient(rows, lam, candidate)
        close = ahead @ ahead <= 2 * lam * _GAP * 1e-3
        if close and np.linalg.norm(ahead) >= 0.5 * np.linalg.norm(g):
            break
        here, g = candidate, ahead
    gap = float(g @ g) / (2 * lam)
    if gap > _GAP:
        raise ArithmeticError(
            f"the minimum is certified to {gap:.3g} only, {_GAP:g} is wanted; "
            f"scale the features or raise lam, got lam={lam:g}"
        )
    return here.x


def _direction(rows: Floats, lam: float, at: _Point, g: Floats) -> Floats:
    """-H^{-1} g by conjugate gradients, ever more exactly (superlinear convergence)."""
    weights = scipy.special.expit(at.z) * scipy.special.expit(-at.z) / len(rows)

    def product(v: Floats) -> Floats:
        return np.asarray(lam * v + weighted_gram_times(rows, weights, v))

    d = len(at.x)
    hessian = scipy.sparse.linalg.LinearOperator((d, d), matvec=product, dtype=np.float64)
    tolerance = min(1e-2, float(np.linalg.norm(g)))
    step, _ = scipy.sparse.linalg.cg(
        hessian, -g, rtol=max(tolerance, 1e-12), atol=0.0, maxiter=10 * d
    )
    return np.asarray(step)


def _line_search(rows: Floats, lam: float, here: _Point, step: Floats) -> _Point:
    """Halve until f does not rise; below rounding any full step is taken."""
    size, most = 1.0, here.value + 1e-15 * abs(here.value)
    there = _at(rows, lam, here.x + step)
    while size > 1e-8 and there.value > most:
        size *= 0.5
        there = _at(rows, lam, here.x + size * step)
    return there
