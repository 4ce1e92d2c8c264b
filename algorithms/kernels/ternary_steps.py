"""Steps of TernGrad: ternaries of one scale, and their sum."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.row_parts import Loop, all_finite
from algorithms.kernels.ternaries import ternary_rows


@njit(cache=True, nogil=True)
def _scaled(g, sizes, scale):  # type: ignore[no-untyped-def]
    """The largest magnitude of each layer over all rows ``[n, d]``, at each of its coordinates."""
    start = 0
    for size in sizes:
        top = g.dtype.type(0)
        for i in range(g.shape[0]):
            for j in range(start, start + size):
                top = max(top, abs(g[i, j]))
        scale[:, start : start + size] = top
        start += size


@njit(cache=True, nogil=True, error_model="numpy")
def _moved(codes, scale, localise, gamma, x):  # type: ignore[no-untyped-def]
    """The model ``[1, d]`` after the mean of ternaries with codes ``[n, d]``: 1 above, 2 below."""
    n = x.dtype.type(codes.shape[0])
    for j in range(codes.shape[1]):
        total = np.int64(0)
        for i in range(codes.shape[0]):
            total += np.int64(codes[i, j] == 1) - np.int64(codes[i, j] == 2)
        mean = x.dtype.type(total) / n
        if localise:
            whole = np.int64(min(max(np.rint(mean * n), -n), n))
            mean = x.dtype.type(whole) / n
        x[0, j] = x[0, j] - gamma * (mean * scale[0, j])


@njit(cache=True, nogil=True)
def _ternary_loop(  # type: ignore[no-untyped-def]
    gradient, gnum, clip, tnum, sizes, localise, x, gammas, first, gwords, cwords, replicas,
    together, bits, downs,
):  # fmt: skip
    n, d = bits.shape[2], x.shape[2]
    g, scale, u = np.empty((n, d), x.dtype), np.empty((n, d), x.dtype), np.empty((1, d), x.dtype)
    codes, workers, own = np.empty((n, d), np.uint8), np.arange(n), np.empty(n, np.int64)
    for i in range(gammas.shape[0]):
        for r in range(x.shape[0]):
            for w in range(0, n, together):
                made = g[w : min(w + together, n)]
                gradient(gnum, x[r], gwords[i, 0], gwords[i, 1], replicas[r], w, made)
                if not all_finite(made):
                    return i
                clip(tnum, made, gammas[i], first + i)
            own[:] = replicas[r]
            _scaled(g, sizes, scale)
            ternary_rows(g, scale, u, True, cwords[i, 0], cwords[i, 1], own, workers, codes)
            _moved(codes, scale, localise, gammas[i], x[r])
    return gammas.shape[0]


TERNARY_LOOP = Loop(
    _ternary_loop, "word", "gradient", "numbers", "change", "numbers", "whole", "flag", "rows3",
    "rows1", "word", "whole2", "whole2", "whole", "word", "whole3", "whole3",
)  # fmt: skip
"""Steps one after another: how many were taken before a gradient was not finite."""
