"""Steps of ADMM along a graph: class by class local solves, and what neighbours hear of them."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.local_solves import solve_one
from algorithms.kernels.mixing import mix_block
from algorithms.kernels.row_parts import Loop, all_finite


@njit(cache=True, nogil=True)
def total_heard(incoming, i, out):  # type: ignore[no-untyped-def]
    """The sum over classes of what worker i heard, heard ``[C, n, d]``, in their order."""
    for j in range(out.shape[0]):
        total = incoming[0, i, j]
        for c in range(1, incoming.shape[0]):
            total = total + incoming[c, i, j]
        out[j] = total


@njit(cache=True, nogil=True, error_model="numpy")
def _class_solved(  # type: ignore[no-untyped-def]
    solve, snum, gradient, gnum, smooth, count, x, p, incoming, degree, classes, c, rho, replica, v,
    start, g,
):  # fmt: skip
    """Workers of class c take their local minimisers."""
    weight = np.empty(1, x.dtype)
    for i in range(x.shape[0]):
        if classes[i] == c:
            weight[0] = rho * degree[i]
            total_heard(incoming, i, v[0])
            for j in range(x.shape[1]):
                v[0, j] = (rho * v[0, j] - p[i, j]) / weight[0]
            start[0] = x[i]
            solve_one(
                solve, snum, gradient, gnum, smooth, count, v, weight, start, replica, i, g,
                x[i : i + 1],
            )  # fmt: skip


@njit(cache=True, nogil=True, error_model="numpy")
def _graph_admm(  # type: ignore[no-untyped-def]
    solve,
    snum,
    gradient,
    gnum,
    smooth,
    count,
    index,
    weight,
    degree,
    classes,
    x,
    p,
    incoming,
    rhos,
    gammas,
    first,
    gwords,
    cwords,
    replicas,
    together,
    bits,
    downs,
):
    n, d = x.shape[1], x.shape[2]
    v, start, g = np.empty((1, d), x.dtype), np.empty((1, d), x.dtype), np.empty((1, d), x.dtype)
    said = np.empty((n, d), x.dtype)
    for s in range(rhos.shape[0]):
        rho = rhos[s]
        for r in range(x.shape[0]):
            for c in range(incoming.shape[1]):
                _class_solved(
                    solve, snum, gradient, gnum, smooth, count, x[r], p[r], incoming[r], degree,
                    classes, c, rho, replicas[r], v, start, g,
                )  # fmt: skip
                for i in range(n):
                    if classes[i] == c:
                        said[i] = x[r, i]
                    else:
                        said[i] = 0
                mix_block(said, index, weight, index.shape[1], 0, incoming[r, c])
            if not all_finite(x[r]):
                return s
            for i in range(n):
                total_heard(incoming[r], i, v[0])
                for j in range(d):
                    p[r, i, j] = p[r, i, j] + rho * (degree[i] * x[r, i, j] - v[0, j])
    return rhos.shape[0]


GRAPH_ADMM_LOOP = Loop(
    _graph_admm, "word", "solve", "numbers", "gradient", "numbers", "real", "word", "whole2",
    "rows2", "rows1", "whole", "rows3", "rows3", "rows4", "rows1", "rows1", "word", "whole2",
    "whole2", "whole", "word", "whole3", "whole3",
)  # fmt: skip
"""Steps one after another: how many were taken before a model was not finite."""
