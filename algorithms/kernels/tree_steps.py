"""Steps of gTop-k: the largest numbers of pairwise sums, up a tree of workers and down again."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.row_parts import Loop, all_finite


@njit(cache=True, nogil=True)
def wanted_rows(g, gamma, residual):  # type: ignore[no-untyped-def]
    """residual + gamma g of rows ``[k, d]``, in place of the residual."""
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            residual[i, j] = residual[i, j] + gamma * g[i, j]


@njit(cache=True, nogil=True)
def _merged(send, snum, sources, targets, t, rows, total, bits):  # type: ignore[no-untyped-def]
    """Rows ``[n, d]`` of messages become sums up a tree, each cut down again; whether all could be
    sent."""
    for e in range(sources.shape[0]):
        own, incoming = rows[targets[e] : targets[e] + 1], rows[sources[e]]
        for j in range(rows.shape[1]):
            total[0, j] = own[0, j] + incoming[j]
        if not send(snum, total, total[:0], 0, 0, 0, 0, t, own, bits):
            return False
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def _taken(root, n, own, x, wanted):  # type: ignore[no-untyped-def]
    """The model ``[1, d]`` moves by 1/n of the root's row; what it took of own rows ``[n, d]``
    leaves what they wanted."""
    for i in range(n):
        for j in range(root.shape[0]):
            if root[j] != 0:
                wanted[i, j] = wanted[i, j] - own[i, j]
    for j in range(root.shape[0]):
        x[0, j] = x[0, j] - x.dtype.type(root[j] / n)


@njit(cache=True, nogil=True)
def _tree_loop(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, sources, targets, x, residual, gammas, first, gwords, cwords,
    replicas, together, bits, downs,
):  # fmt: skip
    n, d = residual.shape[1], x.shape[2]
    room, total = np.empty((together, d), x.dtype), np.empty((1, d), x.dtype)
    own, rows = np.empty((n, d), x.dtype), np.empty((n, d), x.dtype)
    for i in range(gammas.shape[0]):
        for r in range(x.shape[0]):
            for w in range(0, n, together):
                k = min(together, n - w)
                g, wanted = room[:k], residual[r, w : w + k]
                gradient(gnum, x[r], gwords[i, 0], gwords[i, 1], replicas[r], w, g)
                if not all_finite(g):
                    return i
                wanted_rows(g, gammas[i], wanted)
                if not send(
                    snum, wanted, g[:0], 0, 0, replicas[r], w, first + i, own[w : w + k],
                    bits[0, r, w : w + k],
                ):  # fmt: skip
                    return i
            rows[:] = own
            if not _merged(send, snum, sources, targets, first + i, rows, total, bits[0, r]):
                return i
            _taken(rows[0], n, own, x[r], residual[r])
    return gammas.shape[0]


TREE_LOOP = Loop(
    _tree_loop, "word", "gradient", "numbers", "operator", "numbers", "whole", "whole", "rows3",
    "rows3", "rows1", "word", "whole2", "whole2", "whole", "word", "whole3", "whole3",
)  # fmt: skip
"""Steps one after another: how many were taken before a message was refused."""
