r"""Local solves of l2-regularised logistic regression: a Newton method for each row on its own.

For a pair (v, worker) with signed samples p_s the minimiser of

    (1/S) sum_s log(1 + exp(-p_s.x)) + (lam/2) ||x||^2 + (weight/2) ||x - v||^2.

All sums run in one order, so a row's result does not depend on the rows beside it.
"""

from __future__ import annotations

import math

import numpy as np
from torch import Tensor

from algorithms.kernels.compiled import njit

_STEPS = 40
_HALVINGS = 30


@njit(cache=True, nogil=True)
def _value(p, x, v, lam, weight):  # type: ignore[no-untyped-def]
    total = 0.0
    for s in range(p.shape[0]):
        z = 0.0
        for j in range(x.shape[0]):
            z += p[s, j] * x[j]
        total += math.log1p(math.exp(-z)) if z > 0 else -z + math.log1p(math.exp(z))
    total /= p.shape[0]
    for j in range(x.shape[0]):
        total += 0.5 * lam * x[j] * x[j] + 0.5 * weight * (x[j] - v[j]) * (x[j] - v[j])
    return total


@njit(cache=True, nogil=True)
def _model(p, x, v, lam, weight, g, h):  # type: ignore[no-untyped-def]
    """Gradient into g, lower half of the Hessian into h; the gradient's norm."""
    d = x.shape[0]
    for j in range(d):
        g[j] = lam * x[j] + weight * (x[j] - v[j])
        for k in range(j + 1):
            h[j, k] = 0.0
        h[j, j] = lam + weight
    for s in range(p.shape[0]):
        z = 0.0
        for j in range(d):
            z += p[s, j] * x[j]
        share = 1.0 / (1.0 + math.exp(z)) if z < 700 else 0.0
        bend = share * (1.0 - share) / p.shape[0]
        for j in range(d):
            g[j] -= share * p[s, j] / p.shape[0]
            scaled = bend * p[s, j]
            for k in range(j + 1):
                h[j, k] += scaled * p[s, k]
    norm = 0.0
    for j in range(d):
        norm += g[j] * g[j]
    return math.sqrt(norm)


@njit(cache=True, nogil=True)
def _solve(h, g, step):  # type: ignore[no-untyped-def]
    """step = h^{-1} g by Cholesky, in place."""
    d = g.shape[0]
    for j in range(d):
        for k in range(j + 1):
            total = h[j, k]
            for i in range(k):
                total -= h[j, i] * h[k, i]
            h[j, k] = math.sqrt(total) if j == k else total / h[k, k]
    for j in range(d):
        total = g[j]
        for i in range(j):
            total -= h[j, i] * step[i]
        step[j] = total / h[j, j]
    for j in range(d - 1, -1, -1):
        total = step[j]
        for i in range(j + 1, d):
            total -= h[i, j] * step[i]
        step[j] = total / h[j, j]


@njit(cache=True, nogil=True)
def _newton(rows, v, workers, weights, lam, x):  # type: ignore[no-untyped-def]
    d = x.shape[1]
    g, step, trial = np.empty(d), np.empty(d), np.empty(d)
    h = np.empty((d, d))
    for q in range(x.shape[0]):
        p, weight = rows[workers[q]], weights[q]
        for _ in range(_STEPS):
            norm = _model(p, x[q], v[q], lam, weight, g, h)
            if norm <= 1e-14 * (1.0 + weight):
                break
            _solve(h, g, step)
            here = _value(p, x[q], v[q], lam, weight)
            size = 1.0
            for _ in range(_HALVINGS):
                for j in range(d):
                    trial[j] = x[q, j] - size * step[j]
                if _value(p, trial, v[q], lam, weight) <= here + 1e-15 * abs(here):
                    break
                size *= 0.5
            for j in range(d):
                x[q, j] = trial[j]
            if norm <= 1e-9 * (1.0 + weight):
                break  # the step just taken has squared it


def logistic_proximal(
    rows: Tensor, v: Tensor, workers: Tensor, weights: Tensor, lam: float, start: Tensor
) -> Tensor:
    """Minimisers ``[Q, d]`` for points v, ``workers``, ``weights`` ``[Q]``, from ``start``.

    Computed in double precision on the CPU whatever the type and device of v.
    """
    data = rows.double().cpu().contiguous().numpy()
    x = start.double().cpu().clone().contiguous()
    points = v.double().cpu().contiguous().numpy()
    _newton(data, points, workers.cpu().numpy(), weights.double().cpu().numpy(), lam, x.numpy())
    return x.to(v)
