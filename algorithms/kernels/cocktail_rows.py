"""A share of the coordinates by lot, of those the largest, of these few bits each, as a part."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import integer_view, magnitude_mask, njit
from algorithms.kernels.quantile import room_to_take
from algorithms.kernels.quantiser_rows import nearest_points
from algorithms.kernels.row_parts import all_finite
from algorithms.kernels.selection import largest_row
from algorithms.kernels.top_of_uniforms import lots_row, room_for_lots


@njit(cache=True, nogil=True)
def cocktail(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Size of the lot and how many of it; the numbers of ``nearest_points``."""
    if not all_finite(x):
        return False
    lot, k = numbers[3][0], numbers[3][1]
    lots, where = room_for_lots(x.shape[1]), np.empty(lot, np.int64)
    held, keys = np.empty(lot, x.dtype), np.empty(lot, integer_view(x).dtype)
    chosen, room, guess = np.empty(k, np.int64), room_to_take(lot), np.int64(0)
    values, read = np.empty((1, k), x.dtype), np.empty((1, k), x.dtype)
    for i in range(x.shape[0]):
        lots_row(k0, k1, replica, first + i, lot, lots, where)
        for e in range(lot):
            held[e] = x[i, where[e]]
        whole = integer_view(held)
        guess = largest_row(whole, magnitude_mask(held), k, guess, keys, room, chosen)
        for e in range(k):
            values[0, e] = held[chosen[e]]
        nearest_points(numbers, values, guide, k0, k1, replica, first, t, read, bits)
        sent[i] = 0
        for e in range(k):
            sent[i, where[chosen[e]]] = read[0, e]
    return True
