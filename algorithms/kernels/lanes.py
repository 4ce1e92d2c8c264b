"""Sums of rows in eight lanes of double precision: the parts of a sum that are taken in vectors.

Where kernels are not compiled they take no coordinate, and leave all to the caller's loop.
"""

from __future__ import annotations

from typing import Any

from algorithms.kernels.compiled import COMPILED, njit

LANES = 8


def _none(row: Any, edge: float, lanes: Any) -> int:
    lanes[:] = 0.0
    return 0


squares: Any = _none
magnitudes: Any = _none
sides: Any = _none
at_most: Any = _none
less: Any = _none
if COMPILED:
    from algorithms.kernels import eights

    squares, magnitudes, sides = eights.squares, eights.magnitudes, eights.sides
    at_most, less = eights.at_most, eights.less


@njit(cache=True, nogil=True)
def join(lanes):  # type: ignore[no-untyped-def]
    """The sum of eight lanes, taken in pairs."""
    left = (lanes[0] + lanes[4]) + (lanes[2] + lanes[6])
    right = (lanes[1] + lanes[5]) + (lanes[3] + lanes[7])
    return left + right
