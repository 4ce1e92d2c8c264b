"""Steps of fairness-aware top-k both ways: before and after the server has looked at the loss."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import integer_view, magnitude_mask, njit
from algorithms.kernels.row_parts import Loop, all_finite
from algorithms.kernels.server_steps import add_rows
from algorithms.kernels.tree_steps import wanted_rows

_DIGIT = 8  # bits by which keys are sorted at once


@njit(cache=True, nogil=True)
def _sorted_by_digit(keys, places, shift, to_keys, to_places):  # type: ignore[no-untyped-def]
    """Keys and their places in the order of one digit, from the highest, otherwise as they were."""
    digits = 1 << _DIGIT
    ends = np.zeros(digits + 1, np.int64)
    for key in keys:
        ends[digits - ((key >> shift) & (digits - 1))] += 1
    for b in range(digits):
        ends[b + 1] += ends[b]
    for e in range(keys.shape[0]):
        at = digits - 1 - ((keys[e] >> shift) & (digits - 1))
        to_keys[ends[at]], to_places[ends[at]] = keys[e], places[e]
        ends[at] += 1


@njit(cache=True, nogil=True)
def by_size(row, mask, rooms):  # type: ignore[no-untyped-def]
    """Places of the numbers of a row ``[d]`` that are not zero, by magnitude from the largest, of
    equals the lower first; ``rooms`` ``[4, d]``, in which they are."""
    bits, count = integer_view(row), 0
    for j in range(row.shape[0]):
        if row[j] != 0:
            rooms[0, count], rooms[1, count] = bits[j] & mask, j
            count += 1
    keys, places, others, spare = (
        rooms[0, :count], rooms[1, :count], rooms[2, :count], rooms[3, :count],
    )  # fmt: skip
    for shift in range(0, 8 * row.itemsize, _DIGIT):
        _sorted_by_digit(keys, places, shift, others, spare)
        keys, places, others, spare = others, spare, keys, places
    return places


@njit(cache=True, nogil=True)
def _turns(row, mask, rooms, best, largest):  # type: ignore[no-untyped-def]
    """A coordinate's turn is its best rank with any worker, and its size the largest there."""
    places = by_size(row, mask, rooms)
    for rank in range(places.shape[0]):
        j = places[rank]
        if rank < best[j]:
            best[j], largest[j] = rank, abs(row[j])
        elif rank == best[j]:
            largest[j] = max(largest[j], abs(row[j]))


@njit(cache=True, nogil=True)
def places_of(incoming, places):  # type: ignore[no-untyped-def]
    """Places ``[d]`` of the coordinates of finite rows ``[n, d]`` in order of turn, then size."""
    d = places.shape[0]
    best, largest = np.full(d, d, np.int64), np.zeros(d, incoming.dtype)
    rooms = np.empty((4, d), np.int64)
    for i in range(incoming.shape[0]):
        _turns(incoming[i], magnitude_mask(incoming), rooms, best, largest)
    sizes = np.argsort(-largest, kind="mergesort")
    by_turn = np.argsort(best[sizes], kind="mergesort")
    for place in range(d):
        places[sizes[by_turn[place]]] = place


@njit(cache=True, nogil=True)
def _workers_heard(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, x, k, residual, gamma, t, gwords, replica, together, incoming, bits,
):  # fmt: skip
    """Vectors to be sent, in place of residuals ``[n, d]``, and those received. False: a message
    is refused."""
    n, d = residual.shape
    room, guide = np.empty((together, d), x.dtype), np.full((together, 1), k, x.dtype)
    for w in range(0, n, together):
        many = min(together, n - w)
        g, wanted = room[:many], residual[w : w + many]
        gradient(gnum, x, gwords[0], gwords[1], replica, w, g)
        if not all_finite(g):
            return False
        wanted_rows(g, gamma, wanted)
        there = incoming[w : w + many]
        if not send(snum, wanted, guide[:many], 0, 0, replica, w, t, there, bits[w : w + many]):
            return False
    return True


@njit(cache=True, nogil=True)
def _chosen(mean, places, count, out):  # type: ignore[no-untyped-def]
    """The first ``count`` coordinates of a mean ``[1, d]``; how many are not zero."""
    found, zero = 0, mean.dtype.type(0)
    for j in range(places.shape[0]):
        out[0, j] = mean[0, j] if places[j] < count and mean[0, j] != 0 else zero
        found += out[0, j] != 0
    return found


@njit(cache=True, nogil=True, error_model="numpy")
def _fair_heard(  # type: ignore[no-untyped-def]
    gradient, gnum, send, snum, entry, half, least, x, residual, state, gamma, t, gwords, replicas,
    together, incoming, moves, ks, bits, downs,
):  # fmt: skip
    """Moves and trials ``[2, R, 1, d]`` of k and of fewer coordinates ``[2, R, 1, 1]``."""
    n, d = residual.shape[1], x.shape[2]
    mean, places = np.empty((1, d), x.dtype), np.empty(d, np.int64)
    for r in range(x.shape[0]):
        k = np.rint(state[r, 0, 0])
        fewer = np.rint(max(k - half, least))
        ks[0, r, 0, 0], ks[1, r, 0, 0] = k, fewer
        if not _workers_heard(
            gradient, gnum, send, snum, x[r], k, residual[r], gamma, t, gwords, replicas[r],
            together, incoming[r], bits[r],
        ):  # fmt: skip
            return False
        mean[:] = 0
        add_rows(incoming[r], mean[0], 0, d)
        for j in range(d):
            mean[0, j] /= n
        places_of(incoming[r], places)
        downs[r, 0] = entry * _chosen(mean, places, k, moves[0, r])
        _chosen(mean, places, fewer, moves[1, r])
        if not (all_finite(moves[0, r]) and all_finite(moves[1, r])):
            return False
    return True


@njit(cache=True, nogil=True)
def _fair_moved(width, least, x, residual, state, incoming, moves, sooner):  # type: ignore[no-untyped-def]
    """Models, residuals and k ``[R, 1, 1]`` after the step; ``sooner`` ``[R]``: k falls."""
    n, d = residual.shape[1], x.shape[2]
    for r in range(x.shape[0]):
        move = moves[0, r, 0]
        for i in range(n):
            for j in range(d):
                if move[j] != 0:
                    residual[r, i, j] = residual[r, i, j] - incoming[r, i, j]
        for j in range(d):
            x[r, 0, j] = x[r, 0, j] - move[j]
        moved = state[r, 0, 0] + (-width if sooner[r] else width)
        state[r, 0, 0] = min(max(moved, least), x.dtype.type(d))


FAIR_HEARD = Loop(
    _fair_heard, "flag", "gradient", "numbers", "operator", "numbers", "word", "real", "real",
    "rows3", "rows3", "rows3", "real", "word", "whole", "whole", "word", "rows3", "rows4", "rows4",
    "whole2", "whole2",
)  # fmt: skip
"""A step up to the moves that are tried; False: a message is refused."""

FAIR_MOVED = Loop(
    _fair_moved, "nothing", "real", "real", "rows3", "rows3", "rows3", "rows3", "rows4", "flags"
)
"""What follows from the loss there."""
