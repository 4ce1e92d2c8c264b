"""Steps of PowerSGD: a step of subspace iteration on every matrix of a model, in two averages."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.low_rank import orthonormal_into, product, transposed_into
from algorithms.kernels.row_parts import Loop, all_finite
from algorithms.kernels.tree_steps import wanted_rows

MEAN, FEEDBACK, MOVE = range(3)
"""Places of a composition's flags: whether residuals are against the mean, whether there are any,
whether there is an optimizer."""


@njit(cache=True, nogil=True, error_model="numpy")
def _mean_of(rows, out):  # type: ignore[no-untyped-def]
    """Mean of matrices ``[n, a, b]``, in the order of workers, into ``[1, a, b]``."""
    out[:] = 0
    for i in range(rows.shape[0]):
        for a in range(rows.shape[1]):
            for b in range(rows.shape[2]):
                out[0, a, b] += rows[i, a, b]
    for a in range(rows.shape[1]):
        for b in range(rows.shape[2]):
            out[0, a, b] /= rows.shape[0]


@njit(cache=True, nogil=True)
def _spread(left, right, size, out):  # type: ignore[no-untyped-def]
    """P Q^T of P ``[k, a, r]`` and Q ``[k, b, r]``: the first numbers of it, into ``[k, size]``."""
    k, a, b, rank = right.shape[0], left.shape[1], right.shape[1], right.shape[2]
    wide, made = np.empty((k, rank, b), left.dtype), np.empty((k, a, b), left.dtype)
    for i in range(k):
        for c in range(rank):
            for j in range(b):
                wide[i, c, j] = right[i, j, c]
    product(left, wide, made)
    flat = made.reshape(k, a * b)
    for i in range(k):
        for j in range(size):
            out[i, j] = flat[i, j]


@njit(cache=True, nogil=True)
def _matrix(wanted, start, size, rows, columns, q, own, mean):  # type: ignore[no-untyped-def]
    """One matrix of rows ``[n, d]``: the workers' own approximations, their mean ``[1, d]``, and
    the next Q ``[1, columns, rank]``."""
    n, rank, kind = wanted.shape[0], q.shape[2], wanted.dtype
    m, first = np.zeros((n, rows * columns), kind), np.empty((n, rows, rank), kind)
    for i in range(n):
        m[i, :size] = wanted[i, start : start + size]
    cut, second = m.reshape(n, rows, columns), np.empty((n, columns, rank), kind)
    product(cut, q, first)
    p, basis = np.empty((1, rows, rank), kind), np.empty((1, rows, rank), kind)
    _mean_of(first, p)
    orthonormal_into(p, basis)
    for i in range(n):
        first[i] = basis[0]
    transposed_into(cut, first, second)
    _mean_of(second, q)
    _spread(first, second, size, own[:, start : start + size])
    _spread(basis, q, size, mean[:, start : start + size])


@njit(cache=True, nogil=True, error_model="numpy")
def _plain(wanted, start, size, own, mean):  # type: ignore[no-untyped-def]
    """Average without compression."""
    for j in range(start, start + size):
        mean[0, j] = 0
        for i in range(wanted.shape[0]):
            own[i, j] = wanted[i, j]
            mean[0, j] += wanted[i, j]
        mean[0, j] /= wanted.shape[0]


@njit(cache=True, nogil=True)
def _approximated(blocks, wanted, q, own, mean):  # type: ignore[no-untyped-def]
    """All blocks of the model, ``[B, 4]``: size, rows, columns and rank; q ``[floats]``."""
    start, at = 0, 0
    for b in range(blocks.shape[0]):
        size, rows, columns, rank = blocks[b, 0], blocks[b, 1], blocks[b, 2], blocks[b, 3]
        if rank > 0:
            right = q[at : at + columns * rank].reshape(1, columns, rank)
            _matrix(wanted, start, size, rows, columns, right, own, mean)
            at += columns * rank
        else:
            _plain(wanted, start, size, own, mean)
        start += size


@njit(cache=True, nogil=True)
def _rest(wanted, own, mean, against_mean, residual):  # type: ignore[no-untyped-def]
    for i in range(wanted.shape[0]):
        for j in range(wanted.shape[1]):
            residual[i, j] = wanted[i, j] - (mean[0, j] if against_mean else own[i, j])


@njit(cache=True, nogil=True)
def _power_loop(  # type: ignore[no-untyped-def]
    gradient, gnum, move, onum, flags, blocks, x, residual, q, velocity, gammas, first, gwords,
    cwords, replicas, together, bits, downs,
):  # fmt: skip
    n, d = residual.shape[1], x.shape[2]
    room = np.empty((3, n, d), x.dtype)
    g, wanted, own = room[0], room[1], room[2]
    mean, moved = np.empty((1, d), x.dtype), np.empty((1, d), x.dtype)
    for i in range(gammas.shape[0]):
        for r in range(x.shape[0]):
            for w in range(0, n, together):
                made = g[w : min(w + together, n)]
                gradient(gnum, x[r], gwords[i, 0], gwords[i, 1], replicas[r], w, made)
                if not all_finite(made):
                    return i
            wanted[:] = residual[r]
            wanted_rows(g, gammas[i], wanted)
            _approximated(blocks, wanted, q[r, 0], own, mean)
            moved[:] = mean
            if flags[MOVE]:
                move(onum, velocity[r], mean, x[r], gammas[i], moved)
            if flags[FEEDBACK]:
                _rest(wanted, own, mean, flags[MEAN], residual[r])
            for j in range(d):
                x[r, 0, j] = x[r, 0, j] - moved[0, j]
    return gammas.shape[0]


POWER_LOOP = Loop(
    _power_loop, "word", "gradient", "numbers", "move", "numbers", "flags", "whole2", "rows3",
    "rows3", "rows3", "rows4", "rows1", "word", "whole2", "whole2", "whole", "word", "whole3",
    "whole3",
)  # fmt: skip
"""Steps one after another: how many were taken before a gradient was not finite."""
