"""Operators as parts of compiled steps: what is read of each row's message."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import integer_view, magnitude_mask, njit
from algorithms.kernels.philox import uniform_row
from algorithms.kernels.rounding import level_row, value_row
from algorithms.kernels.row_norms import norms_into
from algorithms.kernels.selection import largest_into


@njit(cache=True, nogil=True)
def norm_levels(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """QSGD: s levels below the Euclidean norm, rounded at random; s and the width of a level."""
    d, s, width = x.shape[1], x.dtype.type(numbers[3][0]), np.int32(numbers[3][1])
    u, codes = np.empty(d, x.dtype), np.empty(d, np.int32)
    norms = np.empty(x.shape[0], x.dtype)
    norms_into(x, norms)
    for i in range(x.shape[0]):
        if not np.isfinite(norms[i]):
            return False
        if norms[i] == 0:
            sent[i] = 0
            continue
        uniform_row(k0, k1, replica, first + i, u)
        level_row(x[i], norms[i], s, u, width, codes)
        value_row(codes, norms[i], s, width, sent[i])
    return True


@njit(cache=True, nogil=True)
def largest(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Top-k: the k largest magnitudes; k."""
    chosen = np.empty((x.shape[0], numbers[3][0]), np.int64)
    largest_into(integer_view(x), magnitude_mask(x), numbers[3][0], chosen)
    good = True
    for i in range(x.shape[0]):
        sent[i] = 0
        for j in chosen[i]:
            good &= np.isfinite(x[i, j])
            sent[i, j] += x[i, j]
    return good
