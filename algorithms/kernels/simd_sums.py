"""Sums over a row's coordinates in eight lanes of double precision, in one order everywhere.

Coordinate j goes to lane j mod 8, each lane adds up from left to right, and the lanes are joined in
pairs: the same bits on every processor, with one row or a thousand. A compiler may not reorder such
a sum, so the loop over the lanes is the outer of two, which it turns into vectors once the inner is
written out, and each lane takes 32 of its coordinates at a time, to be read and written once for
them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from algorithms.kernels.compiled import njit

LANES = 8
_LONG, _SHORT = 32, 8
"""Coordinates that a lane takes at a time: in the body of a row, and at its end."""


@njit(nogil=True)
def _join(lanes):  # type: ignore[no-untyped-def]
    """The sum of eight lanes, taken in pairs."""
    left = (lanes[0] + lanes[4]) + (lanes[2] + lanes[6])
    right = (lanes[1] + lanes[5]) + (lanes[3] + lanes[7])
    return left + right


def _adding(terms: Any) -> Any:
    """The function that adds the terms of ``each`` coordinates a lane, from ``start`` on.

    ``inside`` (a constant) says that none of them lies beyond the row. It reads how many lanes
    there are off their room: a compiler that knows takes them apart before it looks for vectors.
    """

    @njit(nogil=True, forceinline=True)
    def add(row, edge, start, each, inside, lanes):  # type: ignore[no-untyped-def]
        for k in range(np.uint64(lanes.shape[1])):
            first, second = lanes[0, k], lanes[1, k]
            for t in range(np.uint64(each)):
                j = start + np.uint64(LANES) * np.uint64(t) + np.uint64(k)
                if inside or j < np.uint64(row.shape[0]):
                    one, other = terms(np.float64(row[j]), edge)
                    first, second = first + one, second + other
            lanes[0, k], lanes[1, k] = first, second

    return add


def summing(terms: Any) -> Any:
    """The function ``(row, edge, lanes)`` of the two sums over a row ``[d]`` of what
    ``terms(value, edge)``, compiled, gives for each coordinate: a pair of float64.

    ``lanes`` ``[2, LANES]`` is room. A second sum of zeros costs nothing: sums wait for additions.
    """
    add = _adding(terms)

    @njit(nogil=True)
    def sums(row, edge, lanes):  # type: ignore[no-untyped-def]
        lanes[:] = 0.0
        at, d = np.uint64(0), np.uint64(row.shape[0])
        while at + np.uint64(_LONG * LANES) <= d:
            add(row, edge, at, _LONG, True, lanes)
            at += np.uint64(_LONG * LANES)
        while at + np.uint64(_SHORT * LANES) <= d:
            add(row, edge, at, _SHORT, True, lanes)
            at += np.uint64(_SHORT * LANES)
        add(row, edge, at, _SHORT, False, lanes)
        return _join(lanes[0]), _join(lanes[1])

    return sums
