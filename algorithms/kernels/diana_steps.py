"""Steps of DIANA: compressed differences to shifts that workers and server learn."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.row_parts import Loop, all_finite

SEND, VARY = range(2)
"""Places of a composition's flags: whether there is an operator, and its messages' lengths vary."""


@njit(cache=True, nogil=True)
def difference(x, y, out):  # type: ignore[no-untyped-def]
    """x - y of rows ``[k, d]``, into out."""
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = x[i, j] - y[i, j]


@njit(cache=True, nogil=True)
def _learnt(sent, alpha, shifts, total):  # type: ignore[no-untyped-def]
    """Messages are added to the total ``[d]``, and moved towards by their senders' shifts."""
    for i in range(sent.shape[0]):
        for j in range(sent.shape[1]):
            total[j] += sent[i, j]
            shifts[i, j] = shifts[i, j] + alpha * sent[i, j]


@njit(cache=True, nogil=True, error_model="numpy")
def _moved(total, n, alpha, beta, gamma, x, shift, velocity):  # type: ignore[no-untyped-def]
    """The server's move from the sum of messages ``[d]``; the others are ``[1, d]``."""
    for j in range(total.shape[0]):
        mean = x.dtype.type(total[j] / n)
        velocity[0, j] = beta * velocity[0, j] + (shift[0, j] + mean)
        x[0, j] = x[0, j] - gamma * velocity[0, j]
        shift[0, j] = shift[0, j] + alpha * mean


@njit(cache=True, nogil=True)
def _diana_loop(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, change, cnum, flags, alpha, beta, x, shifts, shift, velocity,
    gammas, first, gwords, cwords, replicas, together, bits, downs,
):  # fmt: skip
    n, d = shifts.shape[1], x.shape[2]
    g, room, total = np.empty((together, d), x.dtype), np.empty((together, d), x.dtype), x[0, 0] * 0
    for i in range(gammas.shape[0]):
        ups, gw, cw = bits[i] if flags[VARY] else bits[0], gwords[i], cwords[i]
        for r in range(x.shape[0]):
            total[:] = 0
            for w in range(0, n, together):
                k = min(together, n - w)
                made, own, sent = g[:k], shifts[r, w : w + k], room[:k]
                gradient(gnum, x[r], gw[0], gw[1], replicas[r], w, made)
                if not all_finite(made):
                    return i
                difference(made, own, sent if not flags[SEND] else made)
                if flags[SEND] and not send(
                    snum, made, made[:0], cw[0], cw[1], replicas[r], w, first + i, sent,
                    ups[r, w : w + k],
                ):  # fmt: skip
                    return i
                _learnt(sent, alpha, own, total)
            _moved(total, n, alpha, beta, gammas[i], x[r], shift[r], velocity[r])
            change(cnum, x[r], gammas[i], first + i)
    return gammas.shape[0]


DIANA_LOOP = Loop(
    _diana_loop, "word", "gradient", "numbers", "operator", "numbers", "change", "numbers", "flags",
    "real", "real", "rows3", "rows3", "rows3", "rows3", "rows1", "word", "whole2", "whole2",
    "whole", "word", "whole3", "whole3",
)  # fmt: skip
"""Steps one after another: how many were taken before a message was refused."""
