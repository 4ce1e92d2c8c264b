"""Minimum of l2-regularised logistic regression to rounding, by Newton's method with CG.

All is computed in double precision; rows of single precision are widened a block at a time, so that
nothing of the size of the data is held beside them.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import scipy

from theory.arrays import Floats

_STEPS = 100
_GAP = 1e-12
_BLOCK = 1 << 18  # numbers that are widened together


def _blocks(rows: Floats) -> Iterator[slice]:
    size = max(1, _BLOCK // rows.shape[1]) if rows.dtype != np.float64 else len(rows)
    return (slice(start, start + size) for start in range(0, len(rows), size))


def _forth(rows: Floats, x: Floats) -> Floats:
    """Rows ``[N, d]`` times x ``[d]`` (float64)."""
    out = np.empty(len(rows))
    for here in _blocks(rows):
        out[here] = rows[here].astype(np.float64, copy=False) @ x
    return out


def _back(weights: Floats, rows: Floats) -> Floats:
    """Weights ``[N]`` (float64) times rows ``[N, d]``."""
    parts = (weights[here] @ rows[here].astype(np.float64, copy=False) for here in _blocks(rows))
    out: Floats = next(parts)
    for part in parts:
        out += part
    return out


def objective(rows: Floats, lam: float, x: Floats) -> float:
    r"""(1/N) \sum_s \log(1 + e^{-p_s^T x}) + (lam/2) ||x||^2 for signed rows p ``[N, d]``
    (float32 or float64)."""
    return float(np.logaddexp(0.0, -_forth(rows, x)).mean() + 0.5 * lam * x @ x)


def gradient(rows: Floats, lam: float, x: Floats) -> Floats:
    """Gradient of :func:`objective` ``[d]``."""
    return np.asarray(lam * x - _back(scipy.special.expit(-_forth(rows, x)), rows) / len(rows))


def minimise(rows: Floats, lam: float) -> Floats:
    """The minimiser ``[d]``; deterministic; started at 0.

    Strong convexity certifies it: f(x) - f* <= ||grad f(x)||^2 / (2 lam). Newton steps go on until
    the gradient norm stops falling, far below what the certificate asks.

    Raises:
        ArithmeticError: the certified gap exceeds 1e-12 after 100 steps.
    """
    x = np.zeros(rows.shape[1])
    g = gradient(rows, lam, x)
    for _ in range(_STEPS):
        candidate = _line_search(rows, lam, x, _direction(rows, lam, x, g))
        ahead = gradient(rows, lam, candidate)
        close = ahead @ ahead <= 2 * lam * _GAP * 1e-3
        if close and np.linalg.norm(ahead) >= 0.5 * np.linalg.norm(g):
            break
        x, g = candidate, ahead
    gap = float(g @ g) / (2 * lam)
    if gap > _GAP:
        raise ArithmeticError(
            f"the minimum is certified to {gap:.3g} only, {_GAP:g} is wanted; "
            f"scale the features or raise lam, got lam={lam:g}"
        )
    return x


def _direction(rows: Floats, lam: float, x: Floats, g: Floats) -> Floats:
    """-H^{-1} g by conjugate gradients, ever more exactly (superlinear convergence)."""
    z = _forth(rows, x)
    weights = scipy.special.expit(z) * scipy.special.expit(-z) / len(rows)

    def times(v: Floats) -> Floats:
        return np.asarray(lam * v + _back(weights * _forth(rows, v), rows))

    d = len(x)
    hessian = scipy.sparse.linalg.LinearOperator((d, d), matvec=times, dtype=np.float64)
    tolerance = min(1e-2, float(np.linalg.norm(g)))
    step, _ = scipy.sparse.linalg.cg(
        hessian, -g, rtol=max(tolerance, 1e-12), atol=0.0, maxiter=10 * d
    )
    return np.asarray(step)


def _line_search(rows: Floats, lam: float, x: Floats, step: Floats) -> Floats:
    """Halve until f does not rise; below rounding any full step is taken."""
    here = objective(rows, lam, x)
    size = 1.0
    while size > 1e-8 and objective(rows, lam, x + size * step) > here + 1e-15 * abs(here):
        size *= 0.5
    return x + size * step
