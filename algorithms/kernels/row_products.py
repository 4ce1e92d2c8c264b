"""Products of a tall table P ``[N, d]`` with vectors, read once and summed in double precision.

Eight rows at a time, so that of single precision no wide copy is made, and the eight that were
just multiplied by x are still in the cache when they are added up.
"""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import COMPILED, njit
from algorithms.kernels.linear import FAST, dots
from theory.arrays import Floats

_BLOCK = 1 << 18  # numbers that are widened together where nothing is compiled


@njit(cache=True, nogil=True, fastmath=FAST)
def row_dot(p, s, x):  # type: ignore[no-untyped-def]
    """p[s].x, in double precision for such x."""
    total = x.dtype.type(0)
    for j in range(x.shape[0]):
        total += p[s, j] * x[j]
    return total


@njit(cache=True, nogil=True)
def eight_dots(p, s, x):  # type: ignore[no-untyped-def]
    """Products of rows s to s + 7 with x."""
    return dots(p, s, s + 1, s + 2, s + 3, s + 4, s + 5, s + 6, s + 7, x)


@njit(cache=True, nogil=True)
def forward(p, x, z):  # type: ignore[no-untyped-def]
    """The products z = P x of all rows."""
    eights = z.shape[0] - z.shape[0] % 8
    for s in range(0, eights, 8):
        (
            z[s], z[s + 1], z[s + 2], z[s + 3], z[s + 4], z[s + 5], z[s + 6], z[s + 7],
        ) = eight_dots(p, s, x)  # fmt: skip
    for s in range(eights, z.shape[0]):
        z[s] = row_dot(p, s, x)


@njit(cache=True, nogil=True)
def add_eight(p, s, w0, w1, w2, w3, w4, w5, w6, w7, out):  # type: ignore[no-untyped-def]
    """out += the rows s to s + 7 times their weights."""
    for j in range(out.shape[0]):
        low = (w0 * p[s, j] + w1 * p[s + 1, j]) + (w2 * p[s + 2, j] + w3 * p[s + 3, j])
        high = (w4 * p[s + 4, j] + w5 * p[s + 5, j]) + (w6 * p[s + 6, j] + w7 * p[s + 7, j])
        out[j] += low + high


@njit(cache=True, nogil=True)
def backward(p, w, out):  # type: ignore[no-untyped-def]
    """Adds the combination P^T w to ``out``."""
    eights = w.shape[0] - w.shape[0] % 8
    for s in range(0, eights, 8):
        add_eight(
            p, s, w[s], w[s + 1], w[s + 2], w[s + 3], w[s + 4], w[s + 5], w[s + 6], w[s + 7], out
        )
    for s in range(eights, w.shape[0]):
        for j in range(out.shape[0]):
            out[j] += w[s] * p[s, j]


@njit(cache=True, nogil=True)
def curved(p, w, x, out):  # type: ignore[no-untyped-def]
    """out += P^T (w * P x), w weights of the rows, in one pass over P."""
    eights = w.shape[0] - w.shape[0] % 8
    for s in range(0, eights, 8):
        z0, z1, z2, z3, z4, z5, z6, z7 = eight_dots(p, s, x)
        add_eight(
            p, s, w[s] * z0, w[s + 1] * z1, w[s + 2] * z2, w[s + 3] * z3, w[s + 4] * z4,
            w[s + 5] * z5, w[s + 6] * z6, w[s + 7] * z7, out,
        )  # fmt: skip
    for s in range(eights, w.shape[0]):
        scaled = w[s] * row_dot(p, s, x)
        for j in range(out.shape[0]):
            out[j] += scaled * p[s, j]


def _blocks(rows: Floats) -> list[slice]:
    """Slices of rows of single precision, to be widened one after another."""
    size = max(1, _BLOCK // rows.shape[1])
    return [slice(start, start + size) for start in range(0, len(rows), size)]


def _wide(rows: Floats) -> bool:
    return rows.dtype == np.float64


def times(rows: Floats, x: Floats) -> Floats:
    """P x ``[N]`` for rows P ``[N, d]`` (float32 or float64) and x ``[d]`` (float64)."""
    if _wide(rows):
        return np.asarray(rows @ x)
    z = np.empty(len(rows))
    if COMPILED:
        forward(rows, x, z)
        return z
    for here in _blocks(rows):
        z[here] = rows[here].astype(np.float64) @ x
    return z


def transposed_times(rows: Floats, weights: Floats) -> Floats:
    """P^T w ``[d]`` for weights w ``[N]`` (float64)."""
    if _wide(rows):
        return np.asarray(weights @ rows)
    out = np.zeros(rows.shape[1])
    if COMPILED:
        backward(rows, weights, out)
        return out
    for here in _blocks(rows):
        out += weights[here] @ rows[here].astype(np.float64)
    return out


def weighted_gram_times(rows: Floats, weights: Floats, x: Floats) -> Floats:
    """P^T diag(w) P x ``[d]``."""
    if _wide(rows) or not COMPILED:
        return transposed_times(rows, weights * times(rows, x))
    out = np.zeros(rows.shape[1])
    curved(rows, weights, x, out)
    return out
