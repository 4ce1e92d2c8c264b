"""Steps of variance-based compression: sums of micro-batches wait until they stand out."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.row_parts import Loop, all_finite
from algorithms.kernels.server_steps import add_rows


@njit(cache=True, nogil=True, error_model="numpy")
def _summed(g, micro, r, v):  # type: ignore[no-untyped-def]
    """A micro-batch's share of gradients and of their squares, of rows ``[k, d]``."""
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            share = g[i, j] / micro
            r[i, j] = r[i, j] + share
            v[i, j] = v[i, j] + share * share


@njit(cache=True, nogil=True)
def _rest(sent, keep, zeta, r, v):  # type: ignore[no-untyped-def]
    zero = r.dtype.type(0)
    for i in range(sent.shape[0]):
        for j in range(sent.shape[1]):
            gone = sent[i, j] != 0
            r[i, j] = r[i, j] - sent[i, j] if keep else (zero if gone else r[i, j])
            v[i, j] = zero if gone else zeta * v[i, j]


@njit(cache=True, nogil=True, error_model="numpy")
def descend(total, n, gamma, x):  # type: ignore[no-untyped-def]
    """The model ``[1, d]`` moves along the mean of a sum over workers ``[d]``."""
    for j in range(total.shape[0]):
        x[0, j] = x[0, j] - gamma * x.dtype.type(total[j] / n)


@njit(cache=True, nogil=True)
def _variance_loop(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, keep, micro, zeta, x, sums, squares, mwords, gammas, first, gwords,
    cwords, replicas, together, bits, downs,
):  # fmt: skip
    n, d = sums.shape[1], x.shape[2]
    room, total = np.empty((2, together, d), x.dtype), np.empty(d, x.dtype)
    for i in range(gammas.shape[0]):
        for r in range(x.shape[0]):
            total[:] = 0
            for w in range(0, n, together):
                k = min(together, n - w)
                g, sent = room[0, :k], room[1, :k]
                own, v = sums[r, w : w + k], squares[r, w : w + k]
                for b in range(mwords.shape[1]):
                    words = mwords[i, b]
                    gradient(gnum, x[r], words[0], words[1], replicas[r], w, g)
                    if not all_finite(g):
                        return i
                    _summed(g, micro, own, v)
                if not send(
                    snum, own, v, cwords[i, 0], cwords[i, 1], replicas[r], w, first + i, sent,
                    bits[i, r, w : w + k],
                ):  # fmt: skip
                    return i
                add_rows(sent, total, 0, d)
                _rest(sent, keep, zeta, own, v)
            descend(total, n, gammas[i], x[r])
    return gammas.shape[0]


VARIANCE_LOOP = Loop(
    _variance_loop, "word", "gradient", "numbers", "operator", "numbers", "flag", "real", "real",
    "rows3", "rows3", "rows3", "whole3", "rows1", "word", "whole2", "whole2", "whole", "word",
    "whole3", "whole3",
)  # fmt: skip
"""Steps one after another: how many were taken before a message was refused."""
