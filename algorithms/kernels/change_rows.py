"""Changes of rows in place as parts of compiled steps: clipping, proximal maps, projections."""

from __future__ import annotations

import math

import numpy as np

from algorithms.kernels.compiled import njit
from algorithms.kernels.row_norms import norms_into


@njit(cache=True, nogil=True, error_model="numpy")
def clipped_norms(numbers, x, gamma, t):  # type: ignore[no-untyped-def]
    """Rows scaled down to a norm; which."""
    limit, norms, one = numbers[0][0], np.empty(x.shape[0], x.dtype), x.dtype.type(1)
    norms_into(x, norms)
    for i in range(x.shape[0]):
        share = one / max(norms[i], limit) * limit  # as torch divides a number by a tensor
        for j in range(x.shape[1]):
            x[i, j] = x[i, j] * share


@njit(cache=True, nogil=True, error_model="numpy")
def clipped_entries(numbers, x, gamma, t):  # type: ignore[no-untyped-def]
    """Numbers clipped at multiples of the standard deviation of their layer; the multiple, and the
    sizes of the layers."""
    for i in range(x.shape[0]):
        start = 0
        for size in numbers[3]:
            part = x[i, start : start + size]
            total = square = 0.0
            for j in range(size):
                total += np.float64(part[j])
            mean = total / size
            for j in range(size):
                off = np.float64(part[j]) - mean
                square += off * off
            variance = square / size
            limit = x.dtype.type(numbers[4][0] * math.sqrt(variance))
            for j in range(size):
                if variance != 0:
                    part[j] = max(min(part[j], limit), -limit)
            start += size


@njit(cache=True, nogil=True)
def _shrink(row, j, by):  # type: ignore[no-untyped-def]
    """sign(v) max(|v| - by, 0) for v in place j, and NaN for NaN."""
    v, zero, one = row[j], row.dtype.type(0), row.dtype.type(1)
    rest = abs(v) - by
    rest = zero if rest < 0 else rest
    row[j] = (one if v > 0 else (-one if v < 0 else zero)) * rest


@njit(cache=True, nogil=True)
def soft_threshold(numbers, x, gamma, t):  # type: ignore[no-untyped-def]
    """Every number moved towards 0; the weight."""
    by = x.dtype.type(np.float64(gamma) * numbers[4][0])
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            _shrink(x[i], j, by)


@njit(cache=True, nogil=True)
def truncated(numbers, x, gamma, t):  # type: ignore[no-untyped-def]
    """Small numbers moved towards 0 every few steps; the largest of them, gravity, the period."""
    period = numbers[3][0]
    if (t + 1) % period:
        return
    by = x.dtype.type(period * np.float64(gamma) * numbers[4][0])
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            if abs(x[i, j]) <= numbers[0][0]:
                _shrink(x[i], j, by)


@njit(cache=True, nogil=True, error_model="numpy")
def onto_ball(numbers, x, gamma, t):  # type: ignore[no-untyped-def]
    """The nearest points of a ball; its radius."""
    norms, one = np.empty(x.shape[0], x.dtype), x.dtype.type(1)
    norms_into(x, norms)
    for i in range(x.shape[0]):
        if norms[i] > numbers[0][0]:
            share = one / norms[i] * numbers[0][0]
            for j in range(x.shape[1]):
                x[i, j] = x[i, j] * share


@njit(cache=True, nogil=True)
def onto_box(numbers, x, gamma, t):  # type: ignore[no-untyped-def]
    """The nearest points of a box; its ends."""
    low, high = numbers[0][0], numbers[1][0]
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            v = low if x[i, j] < low else x[i, j]
            x[i, j] = high if v > high else v


@njit(cache=True, nogil=True, error_model="numpy")
def onto_simplex(numbers, x, gamma, t):  # type: ignore[no-untyped-def]
    """The nearest points of a simplex; the sum of its coordinates."""
    d, total, zero = x.shape[1], numbers[0][0], x.dtype.type(0)
    shifts = np.empty(d, x.dtype)
    for i in range(x.shape[0]):
        rising, held, last = np.sort(x[i]), 0.0, -1
        for j in range(d):
            value = rising[d - 1 - j]
            held += np.float64(value)
            shifts[j] = (x.dtype.type(held) - total) / x.dtype.type(j + 1)
            last += value > shifts[j]
        for j in range(d):
            v = x[i, j] - shifts[last]
            x[i, j] = zero if v < 0 else v
