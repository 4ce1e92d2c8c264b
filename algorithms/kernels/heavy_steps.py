"""Steps of Sketched-SGD: sketches say which coordinates are heavy, exact values follow."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import integer_view, magnitude_mask, njit
from algorithms.kernels.row_parts import Loop, all_finite
from algorithms.kernels.selection import largest_into
from algorithms.kernels.server_steps import add_rows
from algorithms.kernels.sketch import medians_into, sketch_into
from algorithms.kernels.tree_steps import wanted_rows


@njit(cache=True, nogil=True, error_model="numpy")
def _heavy(sums, n, table, found, heavy):  # type: ignore[no-untyped-def]
    """Coordinates ``[1, asked]`` of the largest estimates of the mean of sketches."""
    for a in range(sums.shape[1]):
        for b in range(sums.shape[2]):
            sums[0, a, b] /= n
    medians_into(sums, table, found)
    largest_into(integer_view(found), magnitude_mask(found), heavy.shape[1], heavy)


@njit(cache=True, nogil=True, error_model="numpy")
def _exact(wanted, heavy, out):  # type: ignore[no-untyped-def]
    """Means ``[1, asked]`` of what workers ``[n, d]`` want of the heavy coordinates."""
    n = wanted.shape[0]
    for e in range(heavy.shape[1]):
        total = wanted.dtype.type(0)
        for i in range(n):
            total += wanted[i, heavy[0, e]]
        out[0, e] = total / n


@njit(cache=True, nogil=True)
def _moved(heavy, best, incoming, x, wanted):  # type: ignore[no-untyped-def]
    for e in best[0]:
        j = heavy[0, e]
        x[0, j] = x[0, j] - incoming[0, e]
        for i in range(wanted.shape[0]):
            wanted[i, j] = 0


@njit(cache=True, nogil=True)
def _heavy_loop(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, width, asked, k, x, residual, tables, gammas, first, gwords, cwords,
    replicas, together, bits, downs,
):  # fmt: skip
    n, d, rows = residual.shape[1], x.shape[2], tables.shape[1]
    g, sums, found = (
        np.empty((together, d), x.dtype),
        np.empty((1, rows, width), x.dtype),
        np.empty((1, d), x.dtype),
    )
    own, heavy, best = (
        np.empty((together, rows, width), x.dtype),
        np.empty((1, asked), np.int64),
        np.empty((1, k), np.int64),
    )
    exact, incoming = np.empty((1, asked), x.dtype), np.empty((1, asked), x.dtype)
    for i in range(gammas.shape[0]):
        for r in range(x.shape[0]):
            table, total = tables[r : r + 1], sums.reshape(1, rows * width)
            total[:] = 0
            for w in range(0, n, together):
                many = min(together, n - w)
                made, wanted, sketched = g[:many], residual[r, w : w + many], own[:many]
                gradient(gnum, x[r], gwords[i, 0], gwords[i, 1], replicas[r], w, made)
                if not all_finite(made):
                    return i
                wanted_rows(made, gammas[i], wanted)
                sketch_into(wanted, table, sketched)
                add_rows(sketched.reshape(many, rows * width), total[0], 0, rows * width)
            _heavy(sums, n, table, found, heavy)
            _exact(residual[r], heavy, exact)
            if not send(
                snum, exact, exact[:0], 0, 0, replicas[r], n, first + i, incoming, downs[0, r]
            ):
                return i
            largest_into(integer_view(incoming), magnitude_mask(incoming), k, best)
            _moved(heavy, best, incoming, x[r], residual[r])
    return gammas.shape[0]


HEAVY_LOOP = Loop(
    _heavy_loop, "word", "gradient", "numbers", "operator", "numbers", "word", "word", "word",
    "rows3", "rows3", "whole3", "rows1", "word", "whole2", "whole2", "whole", "word", "whole3",
    "whole3",
)  # fmt: skip
"""Steps one after another: how many were taken before a message was refused."""
