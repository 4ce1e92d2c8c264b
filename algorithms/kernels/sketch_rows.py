"""Sketches and projections as parts of compiled steps: what is read of each row's message."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.drawn_sketch import (
    estimates_row,
    hashes_row,
    room_for_hashes,
    sketch_row,
)
from algorithms.kernels.low_rank import product
from algorithms.kernels.row_parts import all_finite


@njit(cache=True, nogil=True)
def count_sketch(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """What a count sketch of a row says of it; rows and width of the sketch."""
    if not all_finite(x):
        return False
    rows, width = numbers[3][0], numbers[3][1]
    hashed, made = room_for_hashes(rows, x.shape[1]), np.empty((rows, width), x.dtype)
    table, found = np.empty((rows, 2 * width), x.dtype), np.empty(rows, x.dtype)
    for i in range(x.shape[0]):
        hashes_row(k0, k1, replica, first + i, 2 * width, hashed)
        sketch_row(x[i], hashed, made)
        estimates_row(made, hashed, table, found, sent[i])
    return True


@njit(cache=True, nogil=True)
def slice_projection(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Slices projected onto a basis; it and its transposed; length of a slice, and k."""
    if not all_finite(x):
        return False
    length, k, d = numbers[3][0], numbers[3][1], x.shape[1]
    count = -(-d // length)
    cut, made = np.zeros((1, count, length), x.dtype), np.empty((1, count, k), x.dtype)
    basis, back = numbers[0].reshape(1, length, k), numbers[1].reshape(1, k, length)
    there = cut.reshape(count * length)
    for i in range(x.shape[0]):
        there[:d] = x[i]
        there[d:] = 0
        product(cut, basis, made)
        product(made, back, cut)
        sent[i] = there[:d]
    return True
