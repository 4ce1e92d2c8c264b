"""Integer level that a given number of keys of a row reach: counted in vectors, level by level.

A level is guessed by where the counts at the ends of what is left would put it, and by halving in
turn; so what a row holds decides how many counts it takes, never what comes out.
"""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compaction import places_of
from algorithms.kernels.compiled import njit


@njit(cache=True, nogil=True)
def magnitudes(bits, mask, keys):  # type: ignore[no-untyped-def]
    """Keys of a row in the order of magnitudes; NaN is above all numbers."""
    for j in range(bits.shape[0]):
        keys[j] = bits[j] & mask


@njit(cache=True, nogil=True)
def signed(bits, mask, keys):  # type: ignore[no-untyped-def]
    """Keys of a row in the order of its numbers, the two zeros alike."""
    sign = 8 * bits.itemsize - 1
    for j in range(bits.shape[0]):
        key = bits.dtype.type(bits[j] ^ ((bits[j] >> sign) & mask))
        keys[j] = key + (key == -1)


@njit(cache=True, nogil=True)
def _reached(keys, level):  # type: ignore[no-untyped-def]
    count = np.int32(0)
    for j in range(keys.shape[0]):
        count = np.int32(count + (keys[j] >= level))
    return count


@njit(cache=True, nogil=True)
def level_of(keys, k, guess):  # type: ignore[no-untyped-def]
    """A level and how many keys reach it: k of them, or, where keys are equal, it is the k-th
    largest key and more do. 1 <= k <= d; a ``guess`` near it saves time, as the level of a like
    row."""
    top, least = keys[0], keys[0]
    for j in range(keys.shape[0]):
        top, least = max(top, keys[j]), min(least, keys[j])
    low, high = np.int64(least), np.int64(top)  # low is reached by k at least; high + 1 by none
    reached, above = keys.shape[0], 0
    if reached == k:
        return keys.dtype.type(low), reached
    turn = 0
    while low < high:
        room = np.float64(high) - np.float64(low)
        if turn == 0:
            level = guess
        elif turn % 3 == 0:
            level = low + np.int64(room * 0.5)
        else:
            level = high - np.int64(room * ((k - above + 0.5) / (reached - above)))
        level = min(max(level, low + 1), high)
        turn += 1
        count = _reached(keys, keys.dtype.type(level))
        if count == k:
            return keys.dtype.type(level), count
        if count > k:
            low, reached = level, count
        else:
            high, above = level - 1, count
    return keys.dtype.type(low), reached


@njit(cache=True, nogil=True)
def room_to_take(d):  # type: ignore[no-untyped-def]
    """Work arrays of :func:`take` for rows of d keys: a mask, and room for places."""
    return np.empty(d, dtype=np.uint8), np.empty(d + 1, dtype=np.int32)


@njit(cache=True, nogil=True)
def take(keys, level, reached, k, room, out):  # type: ignore[no-untyped-def]
    """Places ``[k]`` of the k largest keys, ties to the lowest, ascending."""
    mask, places = room
    ties = np.int64(k)
    if reached == k:
        for j in range(keys.shape[0]):
            mask[j] = keys[j] >= level
    else:
        for j in range(keys.shape[0]):
            ties -= np.int64(keys[j] > level)
        for j in range(keys.shape[0]):
            tied = np.int64(keys[j] == level) & np.int64(ties > 0)
            ties -= tied
            mask[j] = np.uint8(keys[j] > level) | np.uint8(tied)
    places_of(mask, places, out)
