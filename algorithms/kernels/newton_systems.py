r"""Linear systems of Newton's method for l2-regularised linear models of one worker's rows P.

On the d parameters (c I + P^T W P) x = y, W a diagonal; on the S samples (I + \kappa W K) \delta =
-r with the Gram matrix K = P P^T, which is the same one for x = P^T \delta. Conjugate gradients
solve them, in the geometry of x, for about as many products as a factorisation is worth; where that
is not enough, Cholesky's factorisation does.
"""

from __future__ import annotations

import math

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.linear import FAST
from algorithms.kernels.row_products import curved, forward


@njit(cache=True, nogil=True, fastmath=FAST)
def dot(a, b):  # type: ignore[no-untyped-def]
    """The product a.b of two rows ``[d]``."""
    total = 0.0
    for j in range(a.shape[0]):
        total += a[j] * b[j]
    return total


@njit(cache=True, nogil=True, fastmath=FAST)
def _rows_dot(h, j, k):  # type: ignore[no-untyped-def]
    """Product of the first k entries of rows j and k."""
    total = 0.0
    for i in range(k):
        total += h[j, i] * h[k, i]
    return total


@njit(cache=True, nogil=True)
def _factor_solve(h, y, x):  # type: ignore[no-untyped-def]
    """x = h^{-1} y by Cholesky of the lower half of h, in place."""
    size = y.shape[0]
    for j in range(size):
        for k in range(j):
            h[j, k] = (h[j, k] - _rows_dot(h, j, k)) / h[k, k]
        h[j, j] = math.sqrt(h[j, j] - _rows_dot(h, j, j))
    for j in range(size):
        total = y[j]
        for i in range(j):
            total -= h[j, i] * x[i]
        x[j] = total / h[j, j]
    for j in range(size - 1, -1, -1):
        x[j] /= h[j, j]
        for i in range(j):
            x[i] -= h[j, i] * x[j]


@njit(cache=True, nogil=True)
def _steps_by_parameters(p, w, c, y, tolerance, x, rooms):  # type: ignore[no-untyped-def]
    """x by conjugate gradients, and whether to a residual of ``tolerance`` times y."""
    left, way, image = rooms[0], rooms[1], rooms[2]
    left[:] = y
    way[:] = y
    x[:] = 0.0
    square = dot(y, y)
    enough = tolerance * tolerance * square
    for _ in range(y.shape[0] // 3 + 1):
        if square <= enough:
            return True
        for j in range(y.shape[0]):
            image[j] = c * way[j]
        curved(p, w, way, image)
        step = square / dot(way, image)
        for j in range(y.shape[0]):
            x[j] += step * way[j]
            left[j] -= step * image[j]
        before, square = square, dot(left, left)
        for j in range(y.shape[0]):
            way[j] = left[j] + square / before * way[j]
    return square <= enough


@njit(cache=True, nogil=True)
def solve_by_parameters(p, w, c, y, tolerance, x, rooms):  # type: ignore[no-untyped-def]
    """(c I + P^T W P) x = y, its residual at most ``tolerance`` times y; ``rooms`` ``[3, d]``."""
    if _steps_by_parameters(p, w, c, y, tolerance, x, rooms):
        return
    d = y.shape[0]
    h = np.zeros((d, d))
    for j in range(d):
        h[j, j] = c
    for s in range(p.shape[0]):
        for j in range(d):
            scaled = w[s] * p[s, j]
            for k in range(j + 1):
                h[j, k] += scaled * p[s, k]
    _factor_solve(h, y, x)


@njit(cache=True, nogil=True)
def _steps_by_samples(gram, w, kappa, r, kr, tolerance, x, kx, rooms):  # type: ignore[no-untyped-def]
    """delta into x, K delta into kx by conjugate gradients in the inner product of K."""
    left, kleft, way, kway, image, kimage = rooms[0:6]
    for s in range(r.shape[0]):
        left[s] = way[s] = -r[s]
        kleft[s] = kway[s] = -kr[s]
        x[s] = kx[s] = 0.0
    square = dot(left, kleft)
    enough = tolerance * tolerance * square
    for _ in range(r.shape[0] // 3 + 1):
        if square <= enough:
            return True
        for s in range(r.shape[0]):
            image[s] = way[s] + kappa * w[s] * kway[s]
        forward(gram, image, kimage)
        step = square / dot(kway, image)
        for s in range(r.shape[0]):
            x[s] += step * way[s]
            kx[s] += step * kway[s]
            left[s] -= step * image[s]
            kleft[s] -= step * kimage[s]
        before, square = square, dot(left, kleft)
        for s in range(r.shape[0]):
            way[s] = left[s] + square / before * way[s]
            kway[s] = kleft[s] + square / before * kway[s]
    return square <= enough


@njit(cache=True, nogil=True)
def solve_by_samples(gram, w, kappa, r, kr, tolerance, x, kx, rooms):  # type: ignore[no-untyped-def]
    """(I + kappa W K) delta = -r, delta into x and K delta into kx, from kr = K r; the residual,
    measured by K, at most ``tolerance`` times r; ``rooms`` ``[6, S]``.

    The factorisation is that of I + kappa W^{1/2} K W^{1/2} (Woodbury's identity)."""
    if _steps_by_samples(gram, w, kappa, r, kr, tolerance, x, kx, rooms):
        return
    size, root, right = r.shape[0], rooms[0], rooms[1]
    h = np.empty((size, size))
    for s in range(size):
        root[s] = math.sqrt(w[s])
        right[s] = -kappa * root[s] * kr[s]
        for t in range(s + 1):
            h[s, t] = kappa * root[s] * gram[s, t] * root[t]
        h[s, s] += 1.0
    _factor_solve(h, right, x)
    for s in range(size):
        x[s] = -(r[s] + root[s] * x[s])
    forward(gram, x, kx)
