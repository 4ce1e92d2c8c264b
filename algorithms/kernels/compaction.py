"""Stream compaction: what a mask sets of a row, moved together in order, without a branch for each.

Sixteen numbers at a time where the processor moves them by one instruction; else one at a time: a
number is written to the next free slot whether it is meant or not, and the slot is taken if it is.
What a mask holds decides nothing that a processor has to foresee.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.kernels.compiled import COMPILED, njit

PART = 4096
"""Coordinates of a row that are moved together."""
_PLACES = np.arange(PART, dtype=np.int32)
_NEEDED = ("avx512f", "avx512bw", "avx512vl", "avx512vbmi2")


@njit(cache=True, nogil=True)
def one_by_one(mask, row, out):  # type: ignore[no-untyped-def]
    """What bytes of a mask ``[n]`` set of a row ``[n]``, to the head of ``out``, which has a slot
    more than is set; returns how much that is. What lies behind may be written over."""
    filled = np.int64(0)
    for j in range(mask.shape[0]):
        out[filled] = row[j]
        filled += np.int64(mask[j] != 0)
    return filled


def _moves_sixteen() -> bool:
    """Whether the processor has the instructions."""
    if not COMPILED:
        return False
    from llvmlite import binding

    has = binding.get_host_cpu_features()
    return all(has.get(feature, False) for feature in _NEEDED)


compact: Any = one_by_one
"""The faster of the two here."""
if _moves_sixteen():
    from algorithms.kernels.sixteen import by_sixteen

    compact = by_sixteen


@njit(cache=True, nogil=True)
def places_of(mask, room, out):  # type: ignore[no-untyped-def]
    """Places of what bytes of a mask ``[d]`` set, ascending, to the head of ``out``; returns how
    many. ``room`` (int32) has a slot more than PART or d, whichever is less."""
    filled = np.int64(0)
    for start in range(0, mask.shape[0], PART):
        part = mask[start : start + PART]
        some = compact(part, _PLACES[: part.shape[0]], room)
        here = out[filled : filled + some]
        for e in range(some):
            here[e] = room[e] + start
        filled += some
    return filled
