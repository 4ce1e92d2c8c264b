"""Quantisers as parts of compiled steps: codes of a row, and at once what they stand for."""

from __future__ import annotations

import math

import numpy as np

from algorithms.kernels.compiled import integer_view, magnitude_mask, njit
from algorithms.kernels.dithering import dithered_row
from algorithms.kernels.extremes import ends_into, top_of, tops_of
from algorithms.kernels.grids import (
    between_row,
    fixed_row,
    nearest_row,
    odd_row,
    scaled_ends,
    within_row,
)
from algorithms.kernels.philox import uniform_row
from algorithms.kernels.rounding import exponent_row, level_row, value_row
from algorithms.kernels.row_norms import norms_into, sum_of_magnitudes
from algorithms.kernels.row_parts import all_finite


@njit(cache=True, nogil=True)
def scales_of(x, p):  # type: ignore[no-untyped-def]
    """Norms of rows: the sum of magnitudes, the Euclidean one, or the largest, p = 1, 2, 0."""
    if p == 0:
        return tops_of(x)
    scales = np.empty(x.shape[0], x.dtype)
    if p == 2:
        norms_into(x, scales)
        return scales
    for i in range(x.shape[0]):
        scales[i] = sum_of_magnitudes(x[i]) / x.shape[1] * x.shape[1]
    return scales


@njit(cache=True, nogil=True)
def scaled_levels(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """s levels below a norm, rounded at random; s, the width of a level and the norm."""
    d, s, width = x.shape[1], x.dtype.type(numbers[3][0]), np.int32(numbers[3][1])
    u, codes = np.empty(d, x.dtype), np.empty(d, np.int32)
    scales = scales_of(x, numbers[3][2])
    for i in range(x.shape[0]):
        if not np.isfinite(scales[i]):
            return False
        if scales[i] == 0:
            sent[i] = 0
            continue
        uniform_row(k0, k1, replica, first + i, u)
        level_row(x[i], scales[i], s, u, width, codes)
        value_row(codes, scales[i], s, width, sent[i])
    return True


@njit(cache=True, nogil=True)
def exponents(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Natural compression: powers of two; 2^-mantissa; bits of the mantissa and of the exponent."""
    mantissa, exponent, unit = numbers[3][0], numbers[3][1], numbers[0][0]
    u, most = np.empty(x.shape[1], x.dtype), ((np.int64(1) << exponent) - 2) << mantissa
    words, out = integer_view(x), integer_view(sent)
    for i in range(x.shape[0]):
        if top_of(words[i], magnitude_mask(x)) > most:
            return False
        uniform_row(k0, k1, replica, first + i, u)
        exponent_row(words[i], u, mantissa, exponent, unit, out[i])
        for j in range(x.shape[1]):
            out[i, j] = out[i, j] << mantissa
    return True


@njit(cache=True, nogil=True)
def power_levels(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Natural dithering: powers of two below a norm, given level by level; s, the width of a level,
    bits of the mantissa, bias of the exponent, the norm."""
    s, width, powers = numbers[3][0], np.int32(numbers[3][1]), numbers[0]
    d, mask, scales = x.shape[1], (1 << width) - 1, scales_of(x, numbers[3][4])
    u, share, codes = np.empty(d, x.dtype), np.empty(d, x.dtype), np.empty(d, np.int32)
    for i in range(x.shape[0]):
        top = scales[i]
        if not np.isfinite(top):
            return False
        if not top > 0:
            sent[i] = powers[0] * top
            continue
        uniform_row(k0, k1, replica, first + i, u)
        dithered_row(
            x[i], top, s, width, share, integer_view(share), numbers[3][2], numbers[3][3], u, codes
        )
        for j in range(d):
            size = powers[codes[j] & mask] * top
            sent[i, j] = -size if codes[j] >> width else size
    return True


@njit(cache=True, nogil=True)
def k_level_ends(x, norm, ends):  # type: ignore[no-untyped-def]
    """Lowest and highest level of rows, into ``[k, 2]``: the ends of the row, or with ``norm``
    sqrt(2) ||x|| above the lower. False: one is not finite."""
    ends_into(integer_view(x), magnitude_mask(x), integer_view(ends))
    if norm and all_finite(ends):
        root, norms = x.dtype.type(math.sqrt(2.0)), scales_of(x, 2)
        for i in range(x.shape[0]):
            high = ends[i, 0] + root * norms[i]
            if not np.isfinite(high):
                return False
            ends[i, 1] = max(ends[i, 1], high)
    return all_finite(ends)


@njit(cache=True, nogil=True, error_model="numpy")
def k_level_row(row, low, high, last, k0, k1, replica, worker, u, codes, out):  # type: ignore[no-untyped-def]
    """Codes of one row among last + 1 levels, and their values."""
    factor, bottom, width = scaled_ends(low, high)
    if width > 0:
        uniform_row(k0, k1, replica, worker, u)
        between_row(row, factor, bottom, width, last, u, codes)
    else:
        codes[:] = 0
    for j in range(row.shape[0]):
        share = codes[j] / last
        out[j] = (1 - share) * np.float64(low) + share * np.float64(high)


@njit(cache=True, nogil=True)
def k_levels(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """k levels over the range of a row, or over sqrt(2) times its norm; k, and whether the norm."""
    d, last, ends = x.shape[1], np.float64(numbers[3][0] - 1), np.empty((x.shape[0], 2), x.dtype)
    u, codes = np.empty(d, x.dtype), np.empty(d, np.int32)
    if not k_level_ends(x, numbers[3][1], ends):
        return False
    for i in range(x.shape[0]):
        low, high = ends[i, 0], ends[i, 1]
        k_level_row(x[i], low, high, last, k0, k1, replica, first + i, u, codes, sent[i])
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def odd_levels(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """DoReFa: odd integers up to 2^k - 1, which is given, below the largest magnitude."""
    d, last = x.shape[1], numbers[0][0]
    u, codes, tops = np.empty(d, x.dtype), np.empty(d, np.int32), tops_of(x)
    for i in range(x.shape[0]):
        if not np.isfinite(tops[i]):
            return False
        uniform_row(k0, k1, replica, first + i, u)
        odd_row(x[i], tops[i], last, u, codes)
        for j in range(d):
            sent[i, j] = (x.dtype.type(2 * codes[j]) - last) / last * tops[i]
    return True


@njit(cache=True, nogil=True)
def fixed_points(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """Fixed point: multiples of a step, rounded at random; the step, and half of the levels."""
    step, half, d = numbers[0][0], numbers[1][0], x.shape[1]
    u, codes = np.empty(d, x.dtype), np.empty(d, np.int32)
    if not all_finite(x):
        return False
    for i in range(x.shape[0]):
        uniform_row(k0, k1, replica, first + i, u)
        fixed_row(x[i], step, half, u, codes)
        for j in range(d):
            sent[i, j] = (x.dtype.type(codes[j]) - half) * step
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def circle_points(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """The nearest points of a circle; its length, the distance of two points, how many they are."""
    length, cell, points = numbers[0][0], numbers[1][0], numbers[2][0]
    if not all_finite(x):
        return False
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            turns = x[i, j] / length
            place = np.rint((turns - np.floor(turns)) * points)
            sent[i, j] = (place if place < points else x.dtype.type(0)) * cell
    return True


@njit(cache=True, nogil=True)
def nearest_points(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """The nearest of the last + 1 points up to the largest magnitude; last, and 2 / last."""
    codes, tops, one = np.empty(x.shape[1], np.int32), tops_of(x), x.dtype.type(1)
    for i in range(x.shape[0]):
        if not np.isfinite(tops[i]):
            return False
        nearest_row(x[i], tops[i], numbers[0][0], codes)
        for j in range(x.shape[1]):
            sent[i, j] = (x.dtype.type(codes[j]) * numbers[1][0] - one) * tops[i]
    return True


@njit(cache=True, nogil=True, error_model="numpy")
def points_within(numbers, x, guide, k0, k1, replica, first, t, sent, bits):  # type: ignore[no-untyped-def]
    """The nearest of 2 half + 1 points up to a radius; the radius, and half."""
    codes, radius, half = np.empty(x.shape[1], np.int32), numbers[0][0], numbers[1][0]
    if not all_finite(x):
        return False
    for i in range(x.shape[0]):
        within_row(x[i], radius, half, codes)
        for j in range(x.shape[1]):
            sent[i, j] = (x.dtype.type(codes[j]) - half) / half * radius
    return True
