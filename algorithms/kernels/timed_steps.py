"""Steps of gossip whose workers average as many gradients as they end by a deadline."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.mixing import mix_block
from algorithms.kernels.row_parts import Loop, all_finite

KEPT, SHARE, MOVE = range(3)
"""Columns of a step's numbers: 1 - epsilon, epsilon, and alpha epsilon."""


@njit(cache=True, nogil=True, error_model="numpy")
def _mean_of_ended(gradient, gnum, x, words, replica, first, ended, room, g):  # type: ignore[no-untyped-def]
    """The mean of each row's first ``ended`` gradients, of those with keys ``[S, 2]``."""
    g[:] = 0
    for s in range(ended.max()):
        gradient(gnum, x, words[s, 0], words[s, 1], replica, first, room)
        for i in range(g.shape[0]):
            if s < ended[i]:
                for j in range(g.shape[1]):
                    g[i, j] = g[i, j] + room[i, j]
    for i in range(g.shape[0]):
        count = g.dtype.type(ended[i])
        for j in range(g.shape[1]):
            g[i, j] = g[i, j] / count


@njit(cache=True, nogil=True)
def _moved(own, others, g, kept, numbers, out):  # type: ignore[no-untyped-def]
    """A worker's next model ``[d]``; ``kept`` is its own weight."""
    mine = numbers[KEPT] + numbers[SHARE] * kept
    for j in range(out.shape[0]):
        out[j] = (mine * own[j] + numbers[SHARE] * others[j]) - numbers[MOVE] * g[j]


@njit(cache=True, nogil=True)
def _timed_loop(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, x, ended, words, cwords, index, weight, slots, phases, own, numbers,
    first, replicas, together,
):  # fmt: skip
    n, d = x.shape[1], x.shape[2]
    g, sent = np.empty((n, d), x.dtype), np.empty((n, d), x.dtype)
    room, bits = np.empty((together, d), x.dtype), np.zeros(together, np.int64)
    for i in range(numbers.shape[0]):
        at = phases[i]
        for r in range(x.shape[0]):
            for w in range(0, n, together):
                k = min(together, n - w)
                rows, made = x[r, w : w + k], g[w : w + k]
                _mean_of_ended(
                    gradient, gnum, rows, words[i], replicas[r], w, ended[i, r, w : w + k],
                    room[:k], made,
                )  # fmt: skip
                if not all_finite(made) or not send(
                    snum, rows, rows[:0], cwords[i, 0], cwords[i, 1], replicas[r], w, first + i,
                    sent[w : w + k], bits[:k],
                ):  # fmt: skip
                    return i
            for w in range(0, n, together):
                k = min(together, n - w)
                mix_block(sent, index[at], weight[at], slots[at], w, room[:k])
                for e in range(k):
                    row = x[r, w + e]
                    _moved(row, room[e], g[w + e], own[at, w + e], numbers[i], row)
    return numbers.shape[0]


TIMED_LOOP = Loop(
    _timed_loop, "word", "gradient", "numbers", "operator", "numbers", "rows3", "whole3", "whole3",
    "whole2", "whole3", "rows3", "whole", "whole", "rows2", "rows2", "word", "whole", "word",
)  # fmt: skip
"""Steps one after another: how many were taken before something was refused."""
