"""Operators in codes of variable length as parts of compiled steps, and rotated levels."""

from __future__ import annotations

import numpy as np

from algorithms.kernels.compiled import integer_view, magnitude_mask, njit
from algorithms.kernels.drop_out import level_of_density, room_for_level
from algorithms.kernels.dropped import recentred_row, taken_row
from algorithms.kernels.entropy import coded_into
from algorithms.kernels.extremes import tops_of
from algorithms.kernels.key_words import folded
from algorithms.kernels.operator_rows import norm_levels
from algorithms.kernels.philox import uniform_row
from algorithms.kernels.quantiser_rows import k_level_ends, k_level_row, k_levels, scales_of
from algorithms.kernels.rotation import back_row, signs_row, turned_row
from algorithms.kernels.rounding import level_row, value_row
from algorithms.kernels.row_parts import all_finite
from algorithms.kernels.row_sums import totals_into
from algorithms.kernels.selection import largest_into
from algorithms.kernels.ternaries import ternary_row


@njit(cache=True, nogil=True)
def entropy_coded(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """k levels in an entropy code; k, whether over the norm, bits before the digits, and whether
    the code is arithmetic."""
    rows, d = x.shape
    k, ends, u = numbers[3][0], np.empty((rows, 2), x.dtype), np.empty(d, x.dtype)
    codes, counts = np.empty((rows, d), np.int64), np.zeros((rows, k), np.int64)
    if not k_level_ends(x, numbers[3][1], ends):
        return False
    for i in range(rows):
        low, high, last = ends[i, 0], ends[i, 1], np.float64(k - 1)
        k_level_row(x[i], low, high, last, k0, k1, replica, first + i, u, codes[i], sent[i])
        for code in codes[i]:
            counts[i, code] += 1
    start = np.full(rows, numbers[3][2])
    coded_into(codes, counts, np.zeros((1, 1), np.uint8), start, numbers[3][3] > 0, False, bits)
    return True


@njit(cache=True, nogil=True)
def _omega(number):  # type: ignore[no-untyped-def]
    """Bits of Elias's omega code."""
    total = 1
    while number > 1:
        log = 0
        while number >> (log + 1):
            log += 1
        total += log + 1
        number = log
    return total


@njit(cache=True, nogil=True)
def elias_levels(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """QSGD in Elias's code; s, the width of a level, and bits of the norm."""
    d, s, width = x.shape[1], x.dtype.type(numbers[3][0]), np.int32(numbers[3][1])
    u, codes, scales = np.empty(d, x.dtype), np.empty(d, np.int32), scales_of(x, 2)
    for i in range(x.shape[0]):
        if not np.isfinite(scales[i]):
            return False
        bits[i], last = numbers[3][2], -1
        if scales[i] == 0:
            sent[i] = 0
            continue
        uniform_row(k0, k1, replica, first + i, u)
        level_row(x[i], scales[i], s, u, width, codes)
        value_row(codes, scales[i], s, width, sent[i])
        for j in range(d):
            level = np.int64(codes[j]) & ((1 << np.int64(width)) - 1)
            if level:
                bits[i] += _omega(j - last) + 1 + _omega(level)
                last = j
    return True


@njit(cache=True, nogil=True)
def centred(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Coordinates by value, or the centre; the budget and its share of d, 0 for the best chances;
    whether the centre is the mean, bits of the centre and of an entry."""
    rows, d = x.shape
    wanted, share = numbers[4][0], numbers[4][1]
    sums, tops, off = np.zeros(rows), tops_of(x), np.empty(d, x.dtype)
    u, mask, room, level = np.empty(d), np.empty(d, np.bool_), room_for_level(d), 0.0
    if numbers[3][0]:
        totals_into(x, sums)
    for i in range(rows):
        centre = x.dtype.type(sums[i] / d)
        if not np.isfinite(centre + tops[i]):
            return False
        uniform_row(k0, k1, replica, first + i, u)
        if share > 0:
            for j in range(d):
                mask[j] = u[j] < share
        else:
            for j in range(d):
                off[j] = x[i, j] - centre
            level = level_of_density(off, 1.0, wanted, room)
            taken_row(x[i], centre, level, u, mask)
        count, sent[i] = 0, x[i]
        recentred_row(sent[i], centre, level, share)
        for j in range(d):
            count += mask[j]
            sent[i, j] = sent[i, j] if mask[j] else centre
        bits[i] = numbers[3][1] + count * numbers[3][2]
    return True


@njit(cache=True, nogil=True)
def rotated(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """k levels after a random rotation; 1 / sqrt of the width; k, 0, how many bytes end the first
    of two keys, and these bytes of both."""
    rows, unit, cut = x.shape[0], numbers[0][0], 3 + numbers[3][2]
    wide = 1
    while wide < x.shape[1]:
        wide *= 2
    t0, t1 = folded(k0, k1, numbers[3][3:cut])
    k0, k1 = folded(k0, k1, numbers[3][cut:])
    sign = np.empty((wide + 3) // 4 * 4, x.dtype)
    turned, read = np.empty((rows, wide), x.dtype), np.empty((rows, wide), x.dtype)
    for i in range(rows):
        signs_row(t0, t1, replica, first + i, sign)
        turned_row(x[i], sign, unit, turned[i])
    if not k_levels(numbers, turned, turned, k0, k1, replica, first, t, read, bits):
        return False
    for i in range(rows):
        signs_row(t0, t1, replica, first + i, sign)
        back_row(read[i], sign, unit, sent[i])
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def quantised_largest(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """QSGD of the k largest, divided by a number; s, the width of a level, k."""
    rows, k = x.shape[0], numbers[3][2]
    chosen = np.empty((rows, k), np.int64)
    held, read = np.empty((rows, k), x.dtype), np.empty((rows, k), x.dtype)
    largest_into(integer_view(x), magnitude_mask(x), k, chosen)
    for i in range(rows):
        for e in range(k):
            held[i, e] = x[i, chosen[i, e]]
    if not norm_levels(numbers, held, held, k0, k1, replica, first, t, read, bits):
        return False
    for i in range(rows):
        sent[i] = 0
        for e in range(k):
            sent[i, chosen[i, e]] += read[i, e] / numbers[0][0]
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def unit_ternaries(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Signs with chance |x_j| / s_j, s_j of the guide or the largest magnitude."""
    if not all_finite(x):
        return False
    d, tops = x.shape[1], tops_of(x)
    u, codes = np.empty(d, x.dtype), np.empty(d, np.int32)
    for i in range(x.shape[0]):
        uniform_row(k0, k1, replica, first + i, u)
        ternary_row(x[i], guide[i] if guide.shape[0] > 0 else tops[i : i + 1], u, codes)
        for j in range(d):
            sent[i, j] = codes[j] if codes[j] < 2 else -1
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def ternary_sums(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """The nearest j/n, |j| at most n; n."""
    if not all_finite(x):
        return False
    n = numbers[0][0]
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            place = np.rint(x[i, j] * n)
            sent[i, j] = min(max(place, -n), n) / n + x.dtype.type(0)
    return True
