"""Steps in which workers whose gradient changed little leave the server with the old one."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.diana_steps import difference
from algorithms.kernels.row_norms import norms_into
from algorithms.kernels.row_parts import Loop, all_finite

WORKER, SERVER, TURN = range(3)
"""Rules of who speaks: the worker's, the server's, one after another."""

SEND, VARY = range(2)
"""Places of a composition's flags, as in :mod:`algorithms.kernels.diana_steps`."""


@njit(cache=True, nogil=True)
def squares_into(x, out):  # type: ignore[no-untyped-def]
    """Squared norms of rows ``[k, d]``, into ``[k]``."""
    norms_into(x, out)
    for i in range(out.shape[0]):
        out[i] = out[i] * out[i]


@njit(cache=True, nogil=True)
def _above(value, allowed):  # type: ignore[no-untyped-def]
    return value > allowed or not np.isfinite(allowed)


@njit(cache=True, nogil=True, error_model="numpy")
def descended(total, n, gamma, mean, x):  # type: ignore[no-untyped-def]
    """The mean gradient ``[1, d]`` changes by a sum over workers ``[d]``, and the model ``[1, d]``
    follows it; the squared move."""
    move, found = np.empty_like(x), np.empty(1, x.dtype)
    for j in range(x.shape[1]):
        mean[0, j] = mean[0, j] + x.dtype.type(total[j] / n)
        new = x[0, j] - gamma * mean[0, j]
        move[0, j] = new - x[0, j]
        x[0, j] = new
    squares_into(move, found)
    return found[0]


@njit(cache=True, nogil=True)
def _change(change, sends, stored, total):  # type: ignore[no-untyped-def]
    """Add changes of workers that send to the total ``[d]`` and to their stored gradients."""
    zero = change.dtype.type(0)
    for i in range(change.shape[0]):
        for j in range(change.shape[1]):
            told = change[i, j] if sends[i] else zero
            total[j] += told
            stored[i, j] = stored[i, j] + told


@njit(cache=True, nogil=True, error_model="numpy")
def _allowed(moves, weights, square):  # type: ignore[no-untyped-def]
    recent = moves.dtype.type(0)
    for k in range(weights.shape[0]):
        recent = recent + weights[k] * moves[k]
    return recent / square


@njit(cache=True, nogil=True)
def _asked(rule, own, turn, forced, allowed, x, incoming, dense, downs):  # type: ignore[no-untyped-def]
    """Write the model to ``incoming`` ``[n, d]`` of those that receive it, its length to
    ``downs``."""
    n, move, found = incoming.shape[0], np.empty_like(x), np.empty(1, x.dtype)
    for i in range(n):
        asked = rule == WORKER or (forced == 1 if forced >= 0 else i == turn % n)
        if rule == SERVER and forced < 0:
            difference(incoming[i : i + 1], x, move)
            squares_into(move, found)
            smooth = own[i if own.shape[0] > 1 else 0]
            asked = _above(smooth * smooth * found[0], allowed)
        downs[i] = dense if asked else -1
        if asked:
            incoming[i] = x[0]


@njit(cache=True, nogil=True)
def _lag_loop(  # type: ignore[no-untyped-def]
    gradient,
    gnum,
    rule,
    dense,
    own,
    weights,
    x,
    stored,
    mean,
    incoming,
    moves,
    gamma2,
    forced,
    turn,
    gammas,
    first,
    gwords,
    cwords,
    replicas,
    together,
    bits,
    downs,
):
    n, d, zero = stored.shape[1], x.shape[2], np.zeros(1, x.dtype)
    g, total, size = (
        np.empty((together, d), x.dtype),
        np.empty(d, x.dtype),
        np.empty(together, x.dtype),
    )
    sends = np.empty(together, np.bool_)
    for i in range(gammas.shape[0]):
        for r in range(x.shape[0]):
            allowed = _allowed(moves[r, 0], weights, gamma2[i])
            ups, asked = bits[i, r], downs[i, r]
            _asked(rule, own, turn + first + i, forced[i], allowed, x[r], incoming[r], dense, asked)
            total[:] = zero[0]
            for w in range(0, n, together):
                k = min(together, n - w)
                made, old = g[:k], stored[r, w : w + k]
                gradient(
                    gnum, incoming[r, w : w + k], gwords[i, 0], gwords[i, 1], replicas[r], w, made
                )
                if not all_finite(made):
                    return i
                difference(made, old, made)
                squares_into(made, size[:k])
                for a in range(k):
                    large = rule != WORKER or _above(size[a], allowed)
                    sends[a] = asked[w + a] >= 0 and (forced[i] == 1 if forced[i] >= 0 else large)
                    ups[w + a] = dense if sends[a] else -1
                _change(made, sends, old, total)
            newest = descended(total, n, gammas[i], mean[r], x[r])
            for k in range(moves.shape[2] - 1, 0, -1):
                moves[r, 0, k] = moves[r, 0, k - 1]
            moves[r, 0, 0] = newest
    return gammas.shape[0]


@njit(cache=True, nogil=True, error_model="numpy")
def _speaks(change, error, last, silent, patience, weight, past, square, sends):  # type: ignore[no-untyped-def]
    """LAQ's rule for some workers; their errors ``[k]`` and silences become those after it."""
    recent, three = past.dtype.type(0), past.dtype.type(3)
    for k in range(past.shape[0]):
        recent = recent + past[k]
    base = weight * recent / square
    for a in range(change.shape[0]):
        allowed = base + three * (error[a] + last[a])
        sends[a] = _above(change[a], allowed) or silent[a] >= patience
        last[a] = error[a] if sends[a] else last[a]
        silent[a] = 0 if sends[a] else silent[a] + 1


@njit(cache=True, nogil=True)
def _laq_loop(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, flags, length, patience, weight, x, stored, last, silent, mean,
    moves, gamma2, gammas, first, gwords, cwords, replicas, together, bits, downs,
):  # fmt: skip
    n, d, past = stored.shape[1], x.shape[2], moves.shape[2]
    room, total, size = (
        np.empty((2, together, d), x.dtype),
        np.empty(d, x.dtype),
        np.empty((2, n), x.dtype),
    )
    sends = np.empty(n, np.bool_)
    for i in range(gammas.shape[0]):
        for r in range(x.shape[0]):
            total[:] = 0
            for w in range(0, n, together):
                k = min(together, n - w)
                made, sent, old = room[0, :k], room[1, :k], stored[r, w : w + k]
                change, error, own = size[0, w : w + k], size[1, w : w + k], sends[w : w + k]
                ups = bits[i, r, w : w + k]
                gradient(gnum, x[r], gwords[i, 0], gwords[i, 1], replicas[r], w, made)
                if not all_finite(made):
                    return i
                difference(made, old, made)
                if not flags[SEND]:
                    sent[:] = made
                elif not send(
                    snum, made, made[:0], cwords[i, 0], cwords[i, 1], replicas[r], w, first + i,
                    sent, ups,
                ):  # fmt: skip
                    return i
                difference(sent, made, made)
                squares_into(made, error)
                squares_into(sent, change)
                _speaks(
                    change, error, last[r, w : w + k], silent[r, w : w + k], patience, weight,
                    moves[r, 0], gamma2[i], own,
                )  # fmt: skip
                for a in range(k):
                    ups[a] = (ups[a] if flags[VARY] else length) if own[a] else -1
                _change(sent, own, old, total)
            newest = descended(total, n, gammas[i], mean[r], x[r])
            for k in range(past - 1):
                moves[r, 0, k] = moves[r, 0, k + 1]
            moves[r, 0, past - 1] = newest
    return gammas.shape[0]


_TAIL = (
    "rows1", "word", "whole2", "whole2", "whole", "word", "whole3", "whole3",
)  # fmt: skip

LAG_LOOP = Loop(
    _lag_loop, "word", "gradient", "numbers", "word", "word", "rows1", "rows1", "rows3", "rows3",
    "rows3", "rows3", "rows3", "rows1", "whole", "word", *_TAIL,
)  # fmt: skip
"""Steps of LAG: how many were taken before a gradient was not finite."""

LAQ_LOOP = Loop(
    _laq_loop, "word", "gradient", "numbers", "operator", "numbers", "flags", "word", "word",
    "real", "rows3", "rows3", "rows2", "whole2", "rows3", "rows3", "rows1", *_TAIL,
)  # fmt: skip
"""Steps of LAQ: how many were taken before a message was refused."""
