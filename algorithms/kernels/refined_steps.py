"""Steps of quantisation on a range that shrinks, of gradients with or without an anchor."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.diana_steps import difference
from algorithms.kernels.row_parts import Loop, all_finite
from algorithms.kernels.server_steps import add_rows


@njit(cache=True, nogil=True)
def _estimated(  # type: ignore[no-untyped-def]
    gradient, gnum, whole, wnum, words, replica, w, x, anchor, full, renew, room, v,
):  # fmt: skip
    """Vectors to be sent by workers w, ..., into v ``[k, d]``. False: a gradient is not finite."""
    if anchor.shape[0] == 0:
        whole(wnum, x, 0, 0, replica, w, v)
        return True
    if renew:
        whole(wnum, x, 0, 0, replica, w, full)
    gradient(gnum, x, words[0], words[1], replica, w, v)
    gradient(gnum, anchor, words[0], words[1], replica, w, room)
    if not (all_finite(v) and all_finite(room)):
        return False
    difference(v, room, v)
    for i in range(v.shape[0]):
        for j in range(v.shape[1]):
            v[i, j] = v[i, j] + full[i, j]
    return True


@njit(cache=True, nogil=True)
def _add_differences(sent, last, total):  # type: ignore[no-untyped-def]
    add_rows(sent, total, 0, total.shape[0])
    for i in range(sent.shape[0]):
        for j in range(sent.shape[1]):
            last[i, j] = last[i, j] + sent[i, j]


@njit(cache=True, nogil=True, error_model="numpy")
def _refined_loop(  # type: ignore[no-untyped-def]
    gradient, gnum, whole, wnum, send, snum, change, cnum, x, last, mean, anchor, full, ranges,
    renews, anchored, gammas, first, gwords, cwords, replicas, together, bits, downs,
):  # fmt: skip
    n, d = last.shape[1], x.shape[2]
    room, total = np.empty((2, together, d), x.dtype), np.empty(d, x.dtype)
    for i in range(gammas.shape[0]):
        own = (ranges[i], snum[1], snum[2], snum[3], snum[4])
        for r in range(x.shape[0]):
            total[:] = 0
            if renews[i]:
                anchor[r] = x[r]
            for w in range(0, n, together):
                k = min(together, n - w)
                v, sent, old = room[0, :k], room[1, :k], last[r, w : w + k]
                if not _estimated(
                    gradient, gnum, whole, wnum, gwords[i], replicas[r], w, x[r],
                    anchor[r] if anchored else anchor[r, :0], full[r, w : w + k], renews[i], sent,
                    v,
                ):  # fmt: skip
                    return i
                difference(v, old, v)
                if not send(
                    own, v, v[:0], cwords[i, 0], cwords[i, 1], replicas[r], w, first + i, sent,
                    bits[0, r, w : w + k],
                ):  # fmt: skip
                    return i
                _add_differences(sent, old, total)
            for j in range(d):
                mean[r, 0, j] = mean[r, 0, j] + x.dtype.type(total[j] / n)
                x[r, 0, j] = x[r, 0, j] - gammas[i] * mean[r, 0, j]
            change(cnum, x[r], gammas[i], first + i)
    return gammas.shape[0]


REFINED_LOOP = Loop(
    _refined_loop, "word", "gradient", "numbers", "gradient", "numbers", "operator", "numbers",
    "change", "numbers", "rows3", "rows3", "rows3", "rows3", "rows3", "rows2", "flags", "flag",
    "rows1", "word", "whole2", "whole2", "whole", "word", "whole3", "whole3",
)  # fmt: skip
"""Steps one after another: how many were taken before a message was refused."""
