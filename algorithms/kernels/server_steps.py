"""Steps of a server and its workers: messages of gradients, their mean, and the move of the model.

The workers' part of a step and the server's are functions of their own: one loop calls both for all
workers, several threads call the first for shares of workers.
"""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.row_parts import Loop, all_finite

TRANSFORM, MEMORY, SEND, TWO_WAY, MOVE, CHANGE = range(6)
HOLDS, SERVER_HOLDS, LATE, VARY, DOWN_VARY = range(6, 11)
"""Places of a composition's flags: which parts it has; whether the memory of the workers, of the
server hold steps; whether that of the workers looks at the mean; whether messages vary in length,
up and down."""


@njit(cache=True, nogil=True)
def scale(rows, factor):  # type: ignore[no-untyped-def]
    """Rows ``[k, d]`` times a factor, in place."""
    for i in range(rows.shape[0]):
        for j in range(rows.shape[1]):
            rows[i, j] = factor * rows[i, j]


@njit(cache=True, nogil=True)
def _worker_messages(  # type: ignore[no-untyped-def]
    gradient, gnum, transform, tnum, before, after, mnum, send, snum, flags, x, state, gamma, t,
    gwords, cwords, replica, first, g, wanted, sent, bits,
):  # fmt: skip
    """Messages of workers first, ... as read, into ``sent``; into ``g`` where they are gradients as
    they are. False: one would be refused."""
    gradient(gnum, x, gwords[0], gwords[1], replica, first, g)
    if not all_finite(g):
        return False
    if flags[TRANSFORM]:
        transform(tnum, g, gamma, t)
    if flags[HOLDS]:
        scale(g, gamma)
    if not flags[MEMORY]:
        return not flags[SEND] or send(
            snum, g, g, cwords[0], cwords[1], replica, first, t, sent, bits
        )
    before(mnum, state, g, wanted)
    if not flags[SEND]:
        sent[:] = wanted
    elif not send(snum, wanted, g, cwords[0], cwords[1], replica, first, t, sent, bits):
        return False
    if not flags[LATE]:
        after(mnum, state, g, wanted, sent, x)
    return True


@njit(cache=True, nogil=True)
def workers_pass(  # type: ignore[no-untyped-def]
    gradient, gnum, transform, tnum, before, after, mnum, send, snum, flags, x, memory, gamma, t,
    gwords, cwords, replicas, together, keep, held, total, bits, first, end,
):  # fmt: skip
    """Run workers first, ..., end - 1 for a step: their messages, added to ``total`` ``[R, d]``.

    With ``keep`` held ``[3, R, n, d]`` takes what they made, wanted and sent, and nothing is added;
    else it is ``[3, 1, together, d]``, room for each block of rows. False: a message is refused.
    """
    plain = not (flags[MEMORY] or flags[SEND])
    for w in range(first, end, together):
        k = min(together, end - w)
        for r in range(x.shape[0]):
            row, start = (r, w) if keep else (0, 0)
            g, wanted = held[0, row, start : start + k], held[1, row, start : start + k]
            sent = held[2, row, start : start + k]
            if not _worker_messages(
                gradient, gnum, transform, tnum, before, after, mnum, send, snum, flags,
                x[r : r + 1], memory[r, w : w + k], gamma, t, gwords, cwords, replicas[r], w, g,
                wanted, sent, bits[r, w : w + k],
            ):  # fmt: skip
                return False
            if not keep:
                add_rows(g if plain else sent, total[r], 0, total.shape[1])
    return True


@njit(cache=True, nogil=True)
def add_rows(rows, total, first, end):  # type: ignore[no-untyped-def]
    """Add columns first, ..., end - 1 of rows ``[k, d]`` in their order to ``total`` ``[d]``."""
    for i in range(rows.shape[0]):
        for j in range(first, end):
            total[j] += rows[i, j]


@njit(cache=True, nogil=True)
def server_pass(  # type: ignore[no-untyped-def]
    after, mnum, flags, dbefore, dafter, dnum, down, dsnum, move, onum, change, pnum, x, memory,
    server, velocity, gamma, t, pwords, replicas, held, total, bits,
):  # fmt: skip
    """The step that all take after hearing from the server, which has the sums ``total``. False:
    the server's message is refused."""
    n, d = memory.shape[1], x.shape[1]
    step, wanted = np.empty((1, d), x.dtype), np.empty((1, d), x.dtype)
    for r in range(x.shape[0]):
        mean, model = total[r : r + 1], x[r : r + 1]
        for j in range(d):
            mean[0, j] /= n
        holds = flags[HOLDS]
        step[:] = mean
        if flags[TWO_WAY]:
            if flags[SERVER_HOLDS] and not holds:
                scale(step, gamma)
            holds = holds or flags[SERVER_HOLDS]
            made, incoming = step.copy(), np.empty((1, d), x.dtype)
            dbefore(dnum, server[r], made, wanted)
            if not down(
                dsnum,
                wanted,
                wanted[:0],
                pwords[0],
                pwords[1],
                replicas[r],
                n,
                t,
                incoming,
                bits[r],
            ):
                return False
            dafter(dnum, server[r], made, wanted, incoming, incoming)
            step[:] = incoming
        if flags[LATE]:
            after(mnum, memory[r], held[0, r], held[1, r], held[2, r], mean)
        if not holds:
            scale(step, gamma)
        if flags[MOVE]:
            move(onum, velocity[r], step, model, gamma, wanted)
            step[:] = wanted
        for j in range(d):
            model[0, j] = model[0, j] - step[0, j]
        if flags[CHANGE]:
            change(pnum, model, gamma, t)
    return True


@njit(cache=True, nogil=True)
def _server_loop(  # type: ignore[no-untyped-def]
    gradient, gnum, transform, tnum, before, after, mnum, send, snum, dbefore, dafter, dnum, down,
    dsnum, move, onum, change, pnum, flags, x, memory, server, velocity, gammas, first, gwords,
    cwords, pwords, replicas, together, bits, dbits,
):  # fmt: skip
    n, d = memory.shape[1], x.shape[1]
    lead, room = (x.shape[0], n) if flags[LATE] else (1, together)
    held, total = np.empty((3, lead, room, d), x.dtype), np.empty_like(x)
    for i in range(gammas.shape[0]):
        ups = bits[i] if flags[VARY] else bits[0]
        downs = dbits[i] if flags[DOWN_VARY] else dbits[0]
        total[:] = 0
        if not workers_pass(
            gradient, gnum, transform, tnum, before, after, mnum, send, snum, flags, x, memory,
            gammas[i], first + i, gwords[i], cwords[i], replicas, together, flags[LATE], held,
            total, ups, 0, n,
        ):  # fmt: skip
            return i
        if flags[LATE]:
            for r in range(x.shape[0]):
                add_rows(held[2, r], total[r], 0, d)
        if not server_pass(
            after, mnum, flags, dbefore, dafter, dnum, down, dsnum, move, onum, change, pnum, x,
            memory, server, velocity, gammas[i], first + i, pwords[i], replicas, held, total, downs,
        ):  # fmt: skip
            return i
    return gammas.shape[0]


_WORKERS = (
    "gradient", "numbers", "change", "numbers", "before", "after", "numbers", "operator", "numbers",
)  # fmt: skip

_SERVER = (
    "before", "after", "numbers", "operator", "numbers", "move", "numbers", "change", "numbers",
)  # fmt: skip

WORKERS_PASS = Loop(
    workers_pass, "flag", *_WORKERS, "flags", "rows2", "rows4", "real", "word", "whole", "whole",
    "whole", "word", "flag", "rows4", "rows2", "whole2", "word", "word",
)  # fmt: skip
"""A share of the workers in one step."""

SUM_PASS = Loop(add_rows, "nothing", "rows2", "rows1", "word", "word")
"""Some columns of the sum of kept messages."""

SERVER_PASS = Loop(
    server_pass, "flag", "after", "numbers", "flags", *_SERVER, "rows2", "rows4", "rows4", "rows4",
    "real", "word", "whole", "whole", "rows4", "rows2", "whole2",
)  # fmt: skip
"""The server in one step."""

SERVER_LOOP = Loop(
    _server_loop, "word", *_WORKERS, *_SERVER, "flags", "rows2", "rows4", "rows4", "rows4", "rows1",
    "word", "whole2", "whole2", "whole2", "whole", "word", "whole3", "whole3",
)  # fmt: skip
"""Steps one after another by one thread: how many were taken before a message was refused."""
