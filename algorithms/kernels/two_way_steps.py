"""Steps whose server truncates the model itself on its way down."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.row_parts import Loop, all_finite
from algorithms.kernels.server_steps import add_rows
from algorithms.kernels.variance_steps import descend

VARY, DOWN_VARY = range(2)
"""Places of a composition's flags: whether messages vary in length, up and down."""


@njit(cache=True, nogil=True)
def _two_way_loop(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, change, cnum, down, dnum, flags, x, pwords, gammas, first, gwords,
    cwords, replicas, together, bits, downs,
):  # fmt: skip
    n, d = bits.shape[2], x.shape[2]
    room, total = np.empty((2, together, d), x.dtype), np.empty(d, x.dtype)
    moved = np.empty((1, d), x.dtype)
    for i in range(gammas.shape[0]):
        ups, lows = bits[i if flags[VARY] else 0], downs[i if flags[DOWN_VARY] else 0]
        for r in range(x.shape[0]):
            total[:] = 0
            for w in range(0, n, together):
                k = min(together, n - w)
                g, sent = room[0, :k], room[1, :k]
                gradient(gnum, x[r], gwords[i, 0], gwords[i, 1], replicas[r], w, g)
                if not all_finite(g):
                    return i
                if not send(
                    snum, g, g[:0], cwords[i, 0], cwords[i, 1], replicas[r], w, first + i, sent,
                    ups[r, w : w + k],
                ):  # fmt: skip
                    return i
                add_rows(sent, total, 0, d)
            moved[:] = x[r]
            descend(total, n, gammas[i], moved)
            change(cnum, moved, gammas[i], first + i)
            if not down(
                dnum, moved, moved[:0], pwords[i, 0], pwords[i, 1], replicas[r], n, first + i, x[r],
                lows[r],
            ):  # fmt: skip
                return i
    return gammas.shape[0]


TWO_WAY_LOOP = Loop(
    _two_way_loop, "word", "gradient", "numbers", "operator", "numbers", "change", "numbers",
    "operator", "numbers", "flags", "rows3", "whole2", "rows1", "word", "whole2", "whole2", "whole",
    "word", "whole3", "whole3",
)  # fmt: skip
"""Steps one after another: how many were taken before a message was refused."""
