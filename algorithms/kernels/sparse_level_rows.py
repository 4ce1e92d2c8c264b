"""Sparsifiers that send places and few values as parts of compiled steps.

What a list holds is added to a row of zeros, as decoding does, so that no zero of it has a sign.
"""

from __future__ import annotations

import math

import numpy as np

from algorithms.kernels.bins import sent_row, tops_row
from algorithms.kernels.compiled import integer_view, magnitude_mask, njit
from algorithms.kernels.drop_out import level_of_density, level_of_variance, room_for_level
from algorithms.kernels.dropped import SMALL, marks_row
from algorithms.kernels.philox import uniform_row
from algorithms.kernels.quantile import room_to_take
from algorithms.kernels.row_norms import norms_into, sum_of_magnitudes
from algorithms.kernels.row_parts import all_finite
from algorithms.kernels.selection import largest_row
from algorithms.kernels.top_values import both_sides_row, extremes_row, mean_of_side
from algorithms.kernels.variance_threshold_kernel import LEAST, LEVELS, codes_row


@njit(cache=True, nogil=True)
def _golomb(places, width):  # type: ignore[no-untyped-def]
    """Bits of rising places in Golomb's code of the distances from one to the next."""
    total, last = np.int64(0), np.int64(-1)
    for place in places:
        total += ((np.int64(place) - last - 1) >> width) + 1 + width
        last = np.int64(place)
    return total


@njit(cache=True, nogil=True)
def _by_mark(marks, up, down, sent):  # type: ignore[no-untyped-def]
    """``up`` where a mark is 1, ``down`` where it is above, else zero; how many are marked."""
    count, zero = np.int64(0), sent.dtype.type(0)
    for j in range(marks.shape[0]):
        value = up if marks[j] == 1 else down
        sent[j] = zero + (value if marks[j] != 0 else zero)
        count += np.int64(marks[j] != 0)
    return count


@njit(cache=True, nogil=True)
def sparse_ternary(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """STC: signs of the k largest, times their mean; bits beside the distances, k, and the width of
    Golomb's code."""
    head, k, width = numbers[3][0], numbers[3][1], numbers[3][2]
    d, whole, some = x.shape[1], integer_view(x), magnitude_mask(x)
    keys, room, guess = np.empty(d, whole.dtype), room_to_take(d), np.int64(0)
    chosen, held = np.empty(k, np.int64), np.empty(k, x.dtype)
    for i in range(x.shape[0]):
        guess = largest_row(whole[i], some, k, guess, keys, room, chosen)
        for e in range(k):
            held[e] = x[i, chosen[e]]
        mean = x.dtype.type(sum_of_magnitudes(held) / k)
        if not np.isfinite(mean):
            return False
        sent[i] = 0
        for e in range(k):
            sent[i, chosen[e]] += -mean if held[e] < 0 else mean
        bits[i] = head + _golomb(chosen, width)
    return True


@njit(cache=True, nogil=True)
def sparse_binary(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """SBC: the k highest or the k lowest by their mean; integers as of :func:`sparse_ternary`."""
    if not all_finite(x):
        return False
    head, k, width = numbers[3][0], numbers[3][1], numbers[3][2]
    d, whole, some = x.shape[1], integer_view(x), magnitude_mask(x)
    keys, room, guesses = np.empty(d, whole.dtype), room_to_take(d), np.zeros(2, np.int64)
    top, bottom, held = np.empty(k, np.int32), np.empty(k, np.int32), np.empty(k, x.dtype)
    means = np.empty(2)
    for i in range(x.shape[0]):
        extremes_row(x[i], whole[i], some, k, guesses, keys, room, held, top, bottom, means)
        up = means[0] >= means[1]
        mean, chosen = x.dtype.type(means[0] if up else -means[1]), top if up else bottom
        if not np.isfinite(mean):
            return False
        sent[i] = 0
        for j in chosen:
            sent[i, j] += mean
        bits[i] = head + _golomb(chosen, width)
    return True


@njit(cache=True, nogil=True)
def shares_of_sides(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Dryden: a share of each side of zero by its mean; head and each of the length, and how many
    are taken of 0, ..., d."""
    if not all_finite(x):
        return False
    head, each, share = numbers[3][0], numbers[3][1], numbers[3][2:]
    d, whole, some = x.shape[1], integer_view(x), magnitude_mask(x)
    keys, room, guesses = np.empty(d, whole.dtype), room_to_take(d), np.zeros(2, np.int64)
    found, marks, held = np.empty(d, np.int32), np.empty(d, np.uint8), np.empty(d + 1, x.dtype)
    for i in range(x.shape[0]):
        both_sides_row(whole[i], some, share, guesses, keys, room, found, marks)
        up, _ = mean_of_side(x[i], marks, 1, held)
        down, _ = mean_of_side(x[i], marks, 2, held)
        count = _by_mark(marks, x.dtype.type(up), -x.dtype.type(down), sent[i])
        bits[i] = head + each * count
    return True


@njit(cache=True, nogil=True)
def adaptive_bins(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """AdaComp: the mean top of the bins, where a number and its guide once more reach their bin's;
    head and each of the length, and the size of a bin."""
    head, each, size, d = numbers[3][0], numbers[3][1], numbers[3][2], x.shape[1]
    tops, level = np.empty((1, -(-d // size)), x.dtype), np.empty(d, x.dtype)
    marks = np.empty(d, np.uint8)
    for i in range(x.shape[0]):
        tops_row(x[i], size, tops[0])
        if not all_finite(tops):
            return False
        scale = x.dtype.type(sum_of_magnitudes(tops[0]) / tops.shape[1])
        beside = guide[i] if guide.shape[0] > 0 else x[i]
        words = sent_row(x[i], beside, size, tops[0], scale, level, marks)
        _by_mark(marks, scale, -scale, sent[i])
        bits[i] = head + each * words
    return True


@njit(cache=True, nogil=True)
def unambiguous(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Powers of two of what stands out of its variance, the guide, or of all; alpha; head and each
    of the length."""
    if not all_finite(x):
        return False
    d, none, size = x.shape[1], np.zeros(1, x.dtype), np.empty(2 * LEVELS + 1, x.dtype)
    wide, power, codes = np.empty(d), np.empty(d, np.int32), np.empty(d, np.uint8)
    size[0] = 0
    for i in range(x.shape[0]):
        noise = guide[i] if guide.shape[0] > 0 else none
        top, count = codes_row(x[i], noise, numbers[0][0], wide, power, codes), np.int64(0)
        largest = x.dtype.type(math.ldexp(1.0, top) if top > LEAST else 0.0)
        for e in range(LEVELS):
            size[1 + e] = largest * x.dtype.type(math.ldexp(1.0, -e))
            size[1 + LEVELS + e] = -size[1 + e]
        for j in range(d):
            sent[i, j] = size[codes[j]]
            count += np.int64(codes[j] != 0)
        bits[i] = numbers[3][0] + numbers[3][1] * count
    return True


VARIANCE, DENSITY, NORM, TOP = range(4)
"""What sets the level of :func:`drop_out`: a variance, a density, the Euclidean norm, the largest
magnitude."""


@njit(cache=True, nogil=True)
def _level(row, limit, by, room):  # type: ignore[no-untyped-def]
    """The level of a finite row, in its type."""
    top = row.dtype.type(0)
    for j in range(row.shape[0]):
        top = max(top, abs(row[j]))
    if by == TOP:
        return top
    if by == NORM:
        norm = np.empty(1, row.dtype)
        norms_into(row.reshape(1, row.shape[0]), norm)
        return norm[0]
    power = min(max(math.frexp(np.float64(top))[1], -1000), 1000)
    scale = math.ldexp(1.0, -power)
    if by == DENSITY:
        level = level_of_density(row, scale, limit, room)
    else:
        level = level_of_variance(row, scale, limit, room)
    return row.dtype.type(math.ldexp(level, power))


@njit(cache=True, nogil=True)
def drop_out(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Wangni, ATOMO: large numbers as they are, of others the level by chance; what sets it;
    lengths of list and map: head, of a large one, of a small one; what sets the level."""
    if not all_finite(x):
        return False
    ints, zero, d = numbers[3], x.dtype.type(0), x.shape[1]
    room, u, marks = room_for_level(d), np.empty(d), np.empty(d, np.uint8)
    for i in range(x.shape[0]):
        level = _level(x[i], numbers[4][0], ints[0], room)
        uniform_row(k0, k1, replica, first + i, u)
        large, small = marks_row(x[i], level, u, marks)
        for j in range(d):
            rest = -level if x[i, j] < 0 else level
            value = rest if marks[j] == SMALL else x[i, j]
            sent[i, j] = zero + (value if marks[j] != 0 else zero)
        listed = ints[1] + ints[2] * large + ints[3] * small
        bits[i] = min(listed, ints[4] + ints[5] * large)
    return True
