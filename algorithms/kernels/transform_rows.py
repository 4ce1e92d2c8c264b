"""Transforms of gradients as parts of compiled steps."""

from __future__ import annotations

import math

import numpy as np

from algorithms.kernels.compiled import njit


@njit(cache=True, nogil=True, error_model="numpy")
def _spread(row):  # type: ignore[no-untyped-def]
    """Variance of a row's entries, summed in their order."""
    total, square = 0.0, 0.0
    for j in range(row.shape[0]):
        total += np.float64(row[j])
    mean = total / row.shape[0]
    for j in range(row.shape[0]):
        off = np.float64(row[j]) - mean
        square += off * off
    return square / row.shape[0]


@njit(cache=True, nogil=True)
def clipped(numbers, x, gamma, t):  # type: ignore[no-untyped-def]
    """Entries cut off at c standard deviations of their layer: sizes of the layers; c."""
    for i in range(x.shape[0]):
        start = 0
        for size in numbers[3]:
            layer = x[i, start : start + size]
            start += size
            variance = _spread(layer)
            if variance == 0:
                continue
            limit = x.dtype.type(numbers[4][0] * math.sqrt(variance))
            for j in range(size):
                layer[j] = max(min(layer[j], limit), -limit)
