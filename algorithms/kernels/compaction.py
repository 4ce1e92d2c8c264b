"""Stream compaction: what a mask sets of a row, moved together in order, without a branch for each.

A number is written to the next free slot whether it is meant or not, and the slot is taken if it
is. What a mask holds decides nothing that a processor has to foresee.
"""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit


@njit(cache=True, nogil=True)
def compact(mask, row, out):  # type: ignore[no-untyped-def]
    """Copy entries of a row ``[n]`` set in a mask ``[n]`` to the head of ``out``, which has a slot
    more than is set; returns how much that is. What lies behind may be written over."""
    filled = np.int64(0)
    for j in range(mask.shape[0]):
        out[filled] = row[j]
        filled += np.int64(mask[j] != 0)
    return filled


@njit(cache=True, nogil=True)
def places_of(mask, room, out):  # type: ignore[no-untyped-def]
    """Places of what bytes of a mask ``[d]`` set, ascending, to the head of ``out``; returns how
    many. ``room`` ``[d + 1]`` (int32 or int64) is written over."""
    filled = np.int64(0)
    for j in range(mask.shape[0]):
        room[filled] = j
        filled += np.int64(mask[j] != 0)
    for e in range(filled):
        out[e] = room[e]
    return filled
