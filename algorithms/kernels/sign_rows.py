"""Signs, thresholds and ternaries as parts of compiled steps: what is read of each message."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.extremes import tops_of
from algorithms.kernels.row_norms import sum_of_magnitudes
from algorithms.kernels.row_parts import all_finite
from algorithms.kernels.row_sums import sides_into
from algorithms.kernels.ternary_packing import packed_into
from algorithms.kernels.zero_runs import squeeze_into


@njit(cache=True, nogil=True)
def _signed(row, size, out):  # type: ignore[no-untyped-def]
    for j in range(row.shape[0]):
        out[j] = -size if row[j] < 0 else size


@njit(cache=True, nogil=True)
def signs(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Signs of all numbers, 1 for those that are 0."""
    one = x.dtype.type(1)
    for i in range(x.shape[0]):
        _signed(x[i], one, sent[i])
    return all_finite(x)


@njit(cache=True, nogil=True)
def scaled_signs(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Signs times the mean magnitude."""
    for i in range(x.shape[0]):
        size = x.dtype.type(sum_of_magnitudes(x[i]) / x.shape[1])
        if not np.isfinite(size):
            return False
        _signed(x[i], size, sent[i])
    return True


@njit(cache=True, nogil=True)
def side_means(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """1-bit SGD: the mean of either side of zero, column by column; length and number of the
    columns of each tensor."""
    rows, start = x.shape[0], 0
    sums, below = np.empty((rows, 2)), np.empty(rows, np.int64)
    means = np.empty(2, x.dtype)
    for table in range(numbers[3].shape[0] // 2):
        length, count = numbers[3][2 * table], numbers[3][2 * table + 1]
        for c in range(count):
            column = slice(start + c, start + length * count, count)
            sides_into(x[:, column], sums, below)
            for i in range(rows):
                means[0] = sums[i, 0] / max(length - below[i], 1)
                means[1] = sums[i, 1] / max(below[i], 1)
                if not all_finite(means.reshape(1, 2)):
                    return False
                row, out = x[i, column], sent[i, column]
                for j in range(length):
                    out[j] = means[1] if row[j] < 0 else means[0]
        start += length * count
    return True


@njit(cache=True, nogil=True)
def fixed_threshold(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Strom: tau, with its sign, for what lies beyond it, 32 bits each; tau."""
    tau = numbers[0][0]
    zero = x.dtype.type(0)
    for i in range(x.shape[0]):
        count = 0
        for j in range(x.shape[1]):
            beyond = abs(x[i, j]) > tau
            count += beyond
            sent[i, j] = (-tau if x[i, j] < 0 else tau) if beyond else zero
        bits[i] = 32 * count
    return all_finite(x)


@njit(cache=True, nogil=True)
def ternaries(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """3LC: signs of what lies beyond half of a multiple of the largest; the factor; bits of the
    scale, or -1 where runs of zeros are not shortened, and the byte of five zeros."""
    rows, d = x.shape
    scale, edge, head = tops_of(x), np.empty(rows, x.dtype), numbers[3][0]
    for i in range(rows):
        scale[i] = scale[i] * numbers[0][0]
        if not np.isfinite(scale[i]):
            return False
        edge[i] = scale[i] / x.dtype.type(2)
        for j in range(d):
            trit = np.int32(x[i, j] > edge[i]) - np.int32(x[i, j] < -edge[i])
            sent[i, j] = x.dtype.type(trit) * scale[i]
    if head >= 0:
        fives, sizes = np.empty((rows, (d + 4) // 5), np.uint8), np.empty(rows, np.int64)
        packed_into(x, edge, np.ones(5 * fives.shape[1], np.uint8), fives)
        squeeze_into(fives, np.uint8(numbers[3][1]), fives.copy(), sizes)
        for i in range(rows):
            bits[i] = head + 8 * sizes[i]
    return True
