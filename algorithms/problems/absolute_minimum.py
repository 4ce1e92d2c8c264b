"""Minimum of the mean absolute error, with or without a quadratic, by scipy."""

from __future__ import annotations

import numpy as np
import scipy

from theory.arrays import Floats

_GAP = 1e-9


def objective(rows: Floats, targets: Floats, lam: float, x: Floats) -> float:
    r"""(1/N) \sum_s |a_s^T x - y_s| + (lam/2) ||x||^2 for rows a ``[N, d]``."""
    return float(np.abs(rows @ x - targets).mean() + 0.5 * lam * x @ x)


def minimise(rows: Floats, targets: Floats, lam: float) -> Floats:
    """A minimiser ``[d]``.

    Raises:
        ArithmeticError: the solver failed, or the duality gap exceeds 1e-9 (relative to 1 + f).
    """
    return _program(rows, targets) if lam == 0 else _dual(rows, targets, lam)


def shortest(fixed: Floats, free: Floats) -> Floats:
    r"""The shortest \|fixed + \sum_s u_s free_s\|, |u_s| <= 1, ``[d]``; ``free`` is ``[k, d]``."""
    found = scipy.optimize.lsq_linear(free.T, -fixed, bounds=(-1.0, 1.0), method="bvls", tol=1e-15)
    return np.asarray(fixed + found.x @ free)


def _program(rows: Floats, targets: Floats) -> Floats:
    r"""min (1/N) 1^T e subject to -e <= A x - y <= e, by HiGHS."""
    count, d = rows.shape
    cost = np.concatenate((np.zeros(d), np.full(count, 1 / count)))
    eye = np.eye(count)
    sides = np.block([[rows, -eye], [-rows, -eye]])
    found = scipy.optimize.linprog(
        cost,
        A_ub=sides,
        b_ub=np.concatenate((targets, -targets)),
        bounds=[(None, None)] * d + [(0, None)] * count,
        method="highs",
    )
    if not found.success:
        raise ArithmeticError(f"the linear program has no solution: {found.message}")
    return np.asarray(found.x[:d])


def _dual(rows: Floats, targets: Floats, lam: float) -> Floats:
    r"""\max_{|u_s| \le 1} -\|A^T u\|^2/(2 \lambda N^2) - y^T u/N; x = -A^T u/(\lambda N)."""
    count = len(targets)

    def negative(u: Floats) -> tuple[float, Floats]:
        x = -(u @ rows) / (lam * count)
        value = 0.5 * lam * float(x @ x) + float(targets @ u) / count
        return value, (targets - rows @ x) / count

    found = scipy.optimize.minimize(
        negative,
        np.zeros(count),
        jac=True,
        method="L-BFGS-B",
        bounds=[(-1, 1)] * count,
        options={"maxiter": 100_000, "maxfun": 100_000, "ftol": 1e-16, "gtol": 1e-14},
    )
    u = _polished(rows, targets, lam, found.x)
    x = -(u @ rows) / (lam * count)
    value, reached = objective(rows, targets, lam, x), negative(u)[0]
    if value + reached > _GAP * (1 + value):
        raise ArithmeticError(
            f"the minimum is certified to {value + reached:.3g} only, {_GAP:g} is wanted; "
            f"scale the features or raise lam, got lam={lam:g}"
        )
    return np.asarray(x)


def _polished(rows: Floats, targets: Floats, lam: float, u: Floats) -> Floats:
    r"""u with its inner entries E solved for: residuals of E are 0, the others' signs as found.

    A_E A_E^T u_E = -\lambda N y_E - A_E A_R^T u_R; u as it was where that leaves the box.
    """
    inner = np.abs(u) < 1 - 1e-7
    rest = np.where(inner, 0.0, np.sign(u))
    a = rows[inner]
    wanted = -lam * len(targets) * targets[inner] - a @ (rest @ rows)
    rest[inner] = np.linalg.lstsq(a @ a.T, wanted, rcond=None)[0]
    return rest if np.abs(rest).max() <= 1 else u
