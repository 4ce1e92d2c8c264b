"""Steps of workers along a graph: short programs of operations on rows, taken row block by block.

A program is a table: what is done, to which register, of which others, with which numbers of the
step. A register holds a row of d numbers for every worker, or is room for one block of rows, where
nobody else asks for it. A step is one or several passes over the workers; between passes all have
what the others wrote. A pass takes workers first, ..., end - 1: all, or a thread's share of them.
"""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.mixing import mix_block
from algorithms.kernels.row_parts import Loop, all_finite
from algorithms.kernels.server_steps import add_rows

GRADIENT, SEND, CHANGE, CHECK = range(4)
MIX, MIX_WEIGHTS, MEAN, SPREAD, WEIGH, RATIO = range(4, 10)
ADD, SUBTRACT, ADD_SCALED, ADD_SCALED_ONTO, SCALE, BLEND, DIVIDE, COPY = range(10, 18)
"""Operations on registers ``out``, a, b and numbers s, u of the step.

gradient        the worker's gradient at a, finite
send            what others read of the operator's message for a
change          ``out`` changed in place, as a projection does; s is the stepsize
mix             the weighted sum of what neighbours have in a
mix weights     the same of a worker's one number
mean, spread    the mean over workers of a, in row 0 of ``out``; row 0 of a, for all
add, subtract   a + b, a - b
add scaled      a + s b; onto: ``out`` + s b
scale, divide   s a, a / s
blend           s a + u b
weigh           a times the worker's own weight of the step
ratio           a divided by the worker's one number in b
copy            a
check           nothing, but a is finite
"""


@njit(cache=True, nogil=True)
def _add_scaled_onto(out, s, b):  # type: ignore[no-untyped-def]
    for j in range(out.shape[0]):
        out[j] = out[j] + s * b[j]


@njit(cache=True, nogil=True, error_model="numpy")
def _combined(kind, out, a, b, s, u):  # type: ignore[no-untyped-def]
    """Operations on numbers one by one, of flat arrays of one length."""
    if kind == ADD:
        for j in range(out.shape[0]):
            out[j] = a[j] + b[j]
    elif kind == SUBTRACT:
        for j in range(out.shape[0]):
            out[j] = a[j] - b[j]
    elif kind == ADD_SCALED:
        for j in range(out.shape[0]):
            out[j] = a[j] + s * b[j]
    elif kind == SCALE:
        for j in range(out.shape[0]):
            out[j] = s * a[j]
    elif kind == BLEND:
        for j in range(out.shape[0]):
            out[j] = s * a[j] + u * b[j]
    elif kind == DIVIDE:
        for j in range(out.shape[0]):
            out[j] = a[j] / s
    elif kind == COPY:
        for j in range(out.shape[0]):
            out[j] = a[j]


@njit(cache=True, nogil=True, error_model="numpy")
def _by_worker(kind, out, a, one):  # type: ignore[no-untyped-def]
    """Rows ``[k, d]`` times or divided by one number each."""
    for i in range(out.shape[0]):
        for j in range(out.shape[1]):
            out[i, j] = one[i] * a[i, j] if kind == WEIGH else a[i, j] / one[i]


@njit(cache=True, nogil=True)
def _mixed_weights(w, index, weight, slots, first, out):  # type: ignore[no-untyped-def]
    """Mixed numbers of workers first, ... into out ``[k]``; one for each worker, w ``[n]``."""
    for i in range(out.shape[0]):
        total = weight[first + i, 0] * w[index[first + i, 0]]
        for s in range(1, slots):
            total = total + weight[first + i, s] * w[index[first + i, s]]
        out[i] = total


@njit(cache=True, nogil=True)
def _mean(x, out):  # type: ignore[no-untyped-def]
    """The mean of rows ``[n, d]`` into ``[d]``."""
    out[:] = 0
    add_rows(x, out, 0, out.shape[0])
    for j in range(out.shape[0]):
        out[j] /= x.shape[0]


@njit(cache=True, nogil=True, forceinline=True)
def _rows(held, room, place, register, w, k):  # type: ignore[no-untyped-def]
    """Rows of workers w, ..., w + k - 1: those of a register, or the block's own room."""
    if register < held.shape[0]:
        return held[place[register], w : w + k]
    return room[register - held.shape[0], :k]


@njit(cache=True, nogil=True, forceinline=True)
def _told(code, c, held, weights, room, place, index, weight, slots, own, w, k):  # type: ignore[no-untyped-def]
    """An operation that asks others or a worker's own numbers, for workers w, ..., w + k - 1."""
    kind, out, a, b, many = code[c, 0], code[c, 1], code[c, 2], code[c, 3], held.shape[0]
    if kind == MIX_WEIGHTS:
        mine = weights[place[many + out], w : w + k]
        _mixed_weights(weights[place[many + a]], index, weight, slots, w, mine)
        return
    if kind == MEAN:
        if w == 0:
            _mean(held[place[a]], held[place[out], 0])
        return
    rows = _rows(held, room, place, out, w, k)
    if kind == MIX:
        mix_block(held[place[a]], index, weight, slots, w, rows)
    elif kind == SPREAD:
        for i in range(k):
            rows[i] = held[place[a], 0]
    else:
        one = own[w : w + k] if kind == WEIGH else weights[place[many + b], w : w + k]
        _by_worker(kind, rows, _rows(held, room, place, a, w, k), one)


@njit(cache=True, nogil=True, forceinline=True)
def _computed(code, c, scalars, i, held, room, place, w, k):  # type: ignore[no-untyped-def]
    """An operation on numbers one by one, for workers w, ..., w + k - 1 in step i."""
    kind, s = code[c, 0], scalars[i, code[c, 4]]
    out = _rows(held, room, place, code[c, 1], w, k).reshape(-1)
    b = _rows(held, room, place, code[c, 3], w, k).reshape(-1)
    if kind == ADD_SCALED_ONTO:
        _add_scaled_onto(out, s, b)
        return
    a = _rows(held, room, place, code[c, 2], w, k).reshape(-1)
    _combined(kind, out, a, b, s, scalars[i, code[c, 5]])


@njit(cache=True, nogil=True, forceinline=True)
def _by_parts(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, change, cnum, code, c, held, room, place, scalars, words, replica,
    bits, i, t, r, w, k,
):  # fmt: skip
    """An operation by a part of the composition, for workers w, ..., w + k - 1 of the replica in
    place r. False: something is not finite."""
    kind = code[c, 0]
    out, x = _rows(held, room, place, code[c, 1], w, k), _rows(held, room, place, code[c, 2], w, k)
    if kind == GRADIENT:
        gradient(gnum, x, words[i, 0], words[i, 1], replica, w, out)
        return all_finite(out)
    if kind == SEND:
        own = bits[i if bits.shape[0] > 1 else 0, r, w : w + k]
        return send(snum, x, x[:0], words[i, 2], words[i, 3], replica, w, t, out, own)
    if kind == CHANGE:
        change(cnum, out, scalars[i, code[c, 4]], t)
        return True
    return all_finite(x)


@njit(cache=True, nogil=True)
def one_pass(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, change, cnum, code, start, stop, held, weights, place, index,
    weight, slots, own, scalars, words, replicas, bits, i, t, lists, room, first, end,
):  # fmt: skip
    """Lines start, ..., stop - 1 of the code in step i, which is t, for workers first, ...,
    end - 1 of all replicas.

    held ``[R, G, n, d]``, weights ``[R, N, n]``; place ``[R, G + N]``: where registers lie;
    index, weight ``[P (R or 1), n, s]``, of which the step has number ``lists`` and those after
    it; own ``[T or 1, n]``, words ``[T, 4]``: of gradients, of messages; room ``[rooms, k, d]``
    for k workers at a time. False: something is not finite.
    """
    apart = index.shape[0] > slots.shape[0]
    for w in range(first, end, room.shape[1]):
        k = min(room.shape[1], end - w)
        for r in range(held.shape[0]):
            mine, at = held[r], place[r]
            for c in range(start, stop):
                kind = code[c, 0]
                if kind <= CHECK:
                    if not _by_parts(
                        gradient, gnum, send, snum, change, cnum, code, c, mine, room, at, scalars,
                        words, replicas[r], bits, i, t, r, w, k,
                    ):  # fmt: skip
                        return False
                elif kind <= RATIO:
                    which = lists * held.shape[0] + r if apart else lists
                    _told(
                        code, c, mine, weights[r], room, at, index[which], weight[which],
                        slots[lists], own[i if own.shape[0] > 1 else 0], w, k,
                    )  # fmt: skip
                else:
                    _computed(code, c, scalars, i, mine, room, at, w, k)
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
    gradient, gnum, send, snum, change, cnum, code, start, stop, held, weights, place, index,
    weight, slots, own, scalars, words, replicas, bits, i, t, lists, rooms, together, first, end,
):  # fmt: skip
    """:func:`one_pass` of a thread, which has room of its own."""
    room = np.empty((rooms, together, held.shape[3]), held.dtype)
    return one_pass(
        gradient, gnum, send, snum, change, cnum, code, start, stop, held, weights, place, index,
        weight, slots, own, scalars, words, replicas, bits, i, t, lists, room, first, end,
    )  # fmt: skip


@njit(cache=True, nogil=True)
def _neighbour_loop(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, change, cnum, code, passes, swaps, held, weights, place, index,
    weight, slots, own, scalars, words, replicas, bits, programs, phases, t, rooms, together,
):  # fmt: skip
    n, room = held.shape[2], np.empty((rooms, together, held.shape[3]), held.dtype)
    for i in range(programs.shape[0]):
        at = programs[i]
        for p in range(passes.shape[1]):
            start, stop = passes[at, p, 0], passes[at, p, 1]
            if start < stop and not one_pass(
                gradient, gnum, send, snum, change, cnum, code, start, stop, held, weights, place,
                index, weight, slots, own, scalars, words, replicas, bits, i, t + i, phases[i],
                room, 0, n,
            ):  # fmt: skip
                return i
        if swaps.shape[1]:
            exchange_places(place, swaps[at])
    return programs.shape[0]


@njit(cache=True, nogil=True)
def no_gradient(numbers, x, k0, k1, replica, first, g):  # type: ignore[no-untyped-def]
    """In place of a gradient that no program asks for."""


_PARTS = ("gradient", "numbers", "operator", "numbers", "change", "numbers", "whole2")
_ARRAYS = (
    "rows4", "rows3", "whole2", "whole3", "rows3", "whole", "rows2", "rows2", "whole2", "whole",
    "whole3",
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
