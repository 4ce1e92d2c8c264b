"""Steps of workers along a graph, or with a server: short programs of operations on rows.

A program is a table: what is done, to which register, of which others, with which numbers of the
step (:mod:`algorithms.kernels.row_operations`). A register holds a row of d numbers for every
worker, or one row of the server's, or is room for one block of rows, where nobody else asks for it.
A step is one or several passes over the workers; between passes all have what the others wrote. A
pass takes workers first, ..., end - 1: all, or a thread's share of them. The server's operations
are in the share of worker 0.
"""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.mixing import mix_block
from algorithms.kernels.row_operations import (
    ADD_SCALED_ONTO,
    CHANGE,
    CHECK,
    CHOOSE,
    GRADIENT,
    KEEP,
    MEAN,
    MIX,
    MIX_NEAREST,
    MIX_WEIGHTS,
    SEND,
    SPREAD,
    WEIGH,
    add_scaled_onto,
    by_worker,
    chosen,
    combined,
    mean,
    mixed_nearest,
    mixed_weights,
)
from algorithms.kernels.row_parts import Loop, all_finite


@njit(cache=True, nogil=True, forceinline=True)
def _rows(held, room, place, register, lone, w, k):  # type: ignore[no-untyped-def]
    """Rows of workers w, ..., w + k - 1: those of a register, or the block's own room; the one row
    of a register from ``lone`` on, which is the server's."""
    if register >= held.shape[0]:
        return room[register - held.shape[0], :k]
    if register >= lone:
        return held[place[register], :1]
    return held[place[register], w : w + k]


@njit(cache=True, nogil=True, forceinline=True)
def _exchange_operation(  # type: ignore[no-untyped-def]
    code, c, held, weights, room, place, lone, index, weight, slots, own, masks, s, i, row, w, k
):
    """An operation that asks others or a worker's own numbers, for workers w, ..., w + k - 1."""
    kind, out, a, b, many = code[c, 0], code[c, 1], code[c, 2], code[c, 3], held.shape[0]
    if kind == MIX_WEIGHTS:
        mine = weights[place[many + out], w : w + k]
        mixed_weights(weights[place[many + a]], index, weight, slots, w, mine)
        return
    if kind == MEAN:
        if w == 0:
            mean(held[place[a]], held[place[out], 0])
        return
    rows = _rows(held, room, place, out, lone, w, k)
    if kind == MIX:
        mix_block(held[place[a]], index, weight, slots, w, rows)
    elif kind == MIX_NEAREST:
        reader = _rows(held, room, place, b, lone, w, k)
        mixed_nearest(held[place[a]], index, weight, slots, w, reader, s, rows)
    elif kind == SPREAD:
        for i in range(k):
            rows[i] = held[place[a], 0]
    elif kind == CHOOSE or kind == KEEP:
        first = _rows(held, room, place, a, lone, w, k)
        second = _rows(held, room, place, b, lone, w, k)
        line = i if masks.shape[0] > 1 else 0
        chosen(kind, rows, first, second, masks[line, row, w : w + k])
    else:
        one = own[w : w + k] if kind == WEIGH else weights[place[many + b], w : w + k]
        by_worker(kind, rows, _rows(held, room, place, a, lone, w, k), one)


@njit(cache=True, nogil=True, forceinline=True)
def _computed(code, c, scalars, i, held, room, place, lone, w, k):  # type: ignore[no-untyped-def]
    """An operation on numbers one by one, for workers w, ..., w + k - 1 in step i; where its last
    column says so, a row of the server's is read for each of them."""
    kind, s = code[c, 0], scalars[i, code[c, 4]]
    if code[c, 6] == 0:
        line = _rows(held, room, place, code[c, 1], lone, w, k).reshape(-1)
        added = _rows(held, room, place, code[c, 3], lone, w, k).reshape(-1)
        if kind == ADD_SCALED_ONTO:
            add_scaled_onto(line, s, added)
            return
        first = _rows(held, room, place, code[c, 2], lone, w, k).reshape(-1)
        combined(kind, line, first, added, s, scalars[i, code[c, 5]])
        return
    u = scalars[i, code[c, 5]]
    out = _rows(held, room, place, code[c, 1], lone, w, k)
    a = _rows(held, room, place, code[c, 2], lone, w, k)
    b = _rows(held, room, place, code[c, 3], lone, w, k)
    for m in range(out.shape[0]):
        one, other = a[m if a.shape[0] > 1 else 0], b[m if b.shape[0] > 1 else 0]
        if kind == ADD_SCALED_ONTO:
            add_scaled_onto(out[m], s, other)
        else:
            combined(kind, out[m], one, other, s, u)


@njit(cache=True, nogil=True, forceinline=True)
def _by_parts(  # type: ignore[no-untyped-def]
    gradient, gnum, gradient2, gnum2, send, snum, send2, snum2, change, cnum, code, c, held, room,
    place, lone, scalars, words, replica, bits, r, i, t, w, k,
):  # fmt: skip
    """An operation by a part of the composition, for workers w, ..., w + k - 1 of the replica in
    place r. False: something is not finite."""
    kind, which = code[c, 0], code[c, 6]
    out = _rows(held, room, place, code[c, 1], lone, w, k)
    x = _rows(held, room, place, code[c, 2], lone, w, k)
    if kind == GRADIENT:
        if which == 0:
            gradient(gnum, x, words[i, 0], words[i, 1], replica, w, out)
        else:
            gradient2(gnum2, x, words[i, 2], words[i, 3], replica, w, out)
        return all_finite(out)
    if kind == SEND:
        n = held.shape[1]
        line, start = i if bits.shape[0] > 1 else 0, which * n + w
        own = bits[line, r, start : start + k]
        k0, k1 = words[i, 4 + 2 * which], words[i, 5 + 2 * which]
        subset = n if lone <= code[c, 1] < held.shape[0] else w
        if code[c, 4] == 0:
            return send(snum, x, x[:0], k0, k1, replica, subset, t, out, own)
        return send2(snum2, x, x[:0], k0, k1, replica, subset, t, out, own)
    if kind == CHANGE:
        change(cnum, out, scalars[i, code[c, 4]], t)
        return True
    return all_finite(x)


@njit(cache=True, nogil=True)
def one_pass(  # type: ignore[no-untyped-def]
    gradient, gnum, gradient2, gnum2, send, snum, send2, snum2, change, cnum, code, start, stop,
    held, weights, place, lone, given, i, t, lists, room, first, end,
):  # fmt: skip
    """Lines start, ..., stop - 1 of the code in step i, which is t, for workers first, ...,
    end - 1 of all replicas.

    held ``[R, G, n, d]``, the server's registers from ``lone`` on, weights ``[R, N, n]``; place
    ``[R, G + N]``: where registers lie. Given are, as one tuple: index, weight
    ``[P (R or 1), n, s]``, slots ``[P]``, of which the step has number ``lists``, and for exchanges
    over other links those after it; own ``[T or 1, n]``, masks ``[T or 1, K R, n]``, words
    ``[T, 4 + 2 M]``: of two sources of gradients, of messages, whose lengths are bits
    ``[T or 1, R, M n]``; room ``[rooms, k, d]`` for k workers at a time. False: something is not
    finite.
    """
    index, weight, slots, own, masks, scalars, words, replicas, bits = given
    apart, lead, many = index.shape[0] > slots.shape[0], held.shape[0], held.shape[1]
    for w in range(first, end, room.shape[1]):
        most = min(room.shape[1], end - w)
        for r in range(lead):
            mine, at = held[r], place[r]
            for c in range(start, stop):
                kind, k = code[c, 0], most
                if lone <= code[c, 1] < many and kind != MIX_WEIGHTS:
                    if w > 0:
                        continue
                    k = 1
                if kind <= CHECK:
                    if not _by_parts(
                        gradient, gnum, gradient2, gnum2, send, snum, send2, snum2, change, cnum,
                        code, c, mine, room, at, lone, scalars, words, replicas[r],
                        bits, r, i, t, w, k,
                    ):  # fmt: skip
                        return False
                elif kind <= KEEP:
                    own_lists = lists + code[c, 5]
                    which = own_lists * lead + r if apart else own_lists
                    _exchange_operation(
                        code, c, mine, weights[r], room, at, lone, index[which], weight[which],
                        slots[own_lists], own[i if own.shape[0] > 1 else 0], masks,
                        scalars[i, code[c, 4]], i, code[c, 6] * lead + r, w, k,
                    )  # fmt: skip
                else:
                    _computed(code, c, scalars, i, mine, room, at, lone, w, k)
    return True


@njit(cache=True, nogil=True)
def exchange_places(place, swaps):  # type: ignore[no-untyped-def]
    """Registers of pairs ``[m, 2]`` take each other's place, in all replicas."""
    for r in range(place.shape[0]):
        for m in range(swaps.shape[0]):
            a, b = swaps[m, 0], swaps[m, 1]
            place[r, a], place[r, b] = place[r, b], place[r, a]


@njit(cache=True, nogil=True)
def shared_pass(  # type: ignore[no-untyped-def]
    gradient, gnum, gradient2, gnum2, send, snum, send2, snum2, change, cnum, code, start, stop,
    held, weights, place, lone, index, weight, slots, own, masks, scalars, words, replicas, bits, i,
    t, lists, rooms, together, first, end,
):  # fmt: skip
    """:func:`one_pass` of a thread, which has room of its own."""
    room = np.empty((rooms, together, held.shape[3]), held.dtype)
    given = index, weight, slots, own, masks, scalars, words, replicas, bits
    return one_pass(
        gradient, gnum, gradient2, gnum2, send, snum, send2, snum2, change, cnum, code, start, stop,
        held, weights, place, lone, given, i, t, lists, room, first, end,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _neighbour_loop(  # type: ignore[no-untyped-def]
    gradient, gnum, gradient2, gnum2, send, snum, send2, snum2, change, cnum, code, passes, swaps,
    held, weights, place, lone, index, weight, slots, own, masks, scalars, words, replicas, bits,
    programs, phases, t, rooms, together,
):  # fmt: skip
    n, room = held.shape[2], np.empty((rooms, together, held.shape[3]), held.dtype)
    # one tuple: calls of more than thirty arguments are no plain calls
    given = index, weight, slots, own, masks, scalars, words, replicas, bits
    for i in range(programs.shape[0]):
        at = programs[i]
        for p in range(passes.shape[1]):
            start, stop = passes[at, p, 0], passes[at, p, 1]
            if start < stop and not one_pass(
                gradient, gnum, gradient2, gnum2, send, snum, send2, snum2, change, cnum, code,
                start, stop, held, weights, place, lone, given, i, t + i, phases[i], room, 0, n,
            ):  # fmt: skip
                return i
        if swaps.shape[1]:
            exchange_places(place, swaps[at])
    return programs.shape[0]


@njit(cache=True, nogil=True)
def no_gradient(numbers, x, k0, k1, replica, first, g):  # type: ignore[no-untyped-def]
    """In place of a gradient that no program asks for."""


_PARTS = (
    *("gradient", "numbers") * 2, *("operator", "numbers") * 2, "change", "numbers", "whole2",
)  # fmt: skip
_ARRAYS = (
    "rows4", "rows3", "whole2", "word", "whole3", "rows3", "whole", "rows2", "flags3", "rows2",
    "whole2", "whole", "whole3",
)  # fmt: skip

NEIGHBOUR_LOOP = Loop(
    _neighbour_loop, "word", *_PARTS, "whole3", "whole3", *_ARRAYS, "whole", "whole", "word",
    "word", "word",
)  # fmt: skip
"""Steps one after another by one thread: how many were taken before something was not finite."""

NEIGHBOUR_PASS = Loop(
    shared_pass, "flag", *_PARTS, "word", "word", *_ARRAYS, "word", "word", "word", "word", "word",
    "word", "word",
)  # fmt: skip
"""One pass over a share of the workers."""
