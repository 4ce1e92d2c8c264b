"""Rows to symbols of a uniform grid and back: at random to a neighbour, or to the nearest point.

One pass over a row, which lies in the cache; kernels and twins perform the same IEEE operations and
agree bit for bit. Where counters are given for uniforms, each row's numbers are drawn just before
they are used.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.drawn import drawn_torch, numbers_of_row, row_numbers
from algorithms.kernels.philox import Counters
from algorithms.kernels.rounding import code_dtype


@njit(cache=True, nogil=True)
def scaled_ends(low, high):  # type: ignore[no-untyped-def]
    """A power of two, the lower end times it, and the width times it, within range of doubles."""
    bottom, top = np.float64(low), np.float64(high)
    power = -min(max(math.frexp(max(abs(bottom), abs(top)))[1], -1000), 1000) - 1
    factor = math.ldexp(1.0, power)
    return factor, bottom * factor, top * factor - bottom * factor


@njit(cache=True, nogil=True, error_model="numpy")
def between_row(row, factor, bottom, width, last, u, codes):  # type: ignore[no-untyped-def]
    """Codes of one row among last + 1 points of :func:`scaled_ends`, whose width is not 0."""
    for j in range(row.shape[0]):
        place = (np.float64(row[j]) * factor - bottom) / width * last
        place = max(place, 0.0)
        place = min(place, last)
        below = np.floor(place)
        codes[j] = np.int32(below) + np.int32(np.float64(u[j]) < place - below)


@njit(cache=True, nogil=True)
def _between(x, low, high, last, given, drawn, k0, k1, replicas, workers, out):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        factor, bottom, width = scaled_ends(low[i], high[i])
        if not width > 0:
            out[i, :] = 0
            continue
        u = numbers_of_row(given, drawn, k0, k1, replicas, workers, i)
        between_row(x[i], factor, bottom, width, last, u, out[i])


@njit(cache=True, nogil=True, error_model="numpy")
def odd_row(row, top, last, u, codes):  # type: ignore[no-untyped-def]
    """Codes of one row among the odd integers from -last to last, times ``top`` / last."""
    half, one, two = row.dtype.type(0.5), row.dtype.type(1), row.dtype.type(2)
    for j in range(row.shape[0]):
        place = abs(row[j]) / top * last if top > 0 else row.dtype.type(0)
        below = two * np.floor((place - one) * half) + one
        level = below + (two if u[j] < (place - below) * half else row.dtype.type(0))
        signed = -level if row[j] < 0 else level
        codes[j] = np.int32((signed + last) * half)


@njit(cache=True, nogil=True)
def _odd(x, scale, last, given, drawn, k0, k1, replicas, workers, out):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        u = numbers_of_row(given, drawn, k0, k1, replicas, workers, i)
        odd_row(x[i], scale[i], last, u, out[i])


@njit(cache=True, nogil=True, error_model="numpy")
def nearest_row(row, top, last, codes):  # type: ignore[no-untyped-def]
    """Codes of one row's nearest points among last + 1 from -top to top."""
    half, one, zero = row.dtype.type(0.5), row.dtype.type(1), row.dtype.type(0)
    if not top > 0:
        codes[:] = 0
        return
    for j in range(row.shape[0]):
        place = np.floor((row[j] / top + one) * (last * half) + half)
        codes[j] = np.int32(min(max(place, zero), last))


@njit(cache=True, nogil=True)
def _nearest(x, radius, last, out):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        nearest_row(x[i], radius[i], last, out[i])


@njit(cache=True, nogil=True, error_model="numpy")
def within_row(row, radius, half, codes):  # type: ignore[no-untyped-def]
    """Codes of one row's nearest points among 2 half + 1 from -radius to radius."""
    middle, one = row.dtype.type(0.5), row.dtype.type(1)
    for j in range(row.shape[0]):
        place = min(max(row[j] / radius, -one), one) * half
        codes[j] = np.int32(np.floor(place + middle)) + np.int32(half)


@njit(cache=True, nogil=True)
def _within(x, radius, half, out):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        within_row(x[i], radius, half, out[i])


@njit(cache=True, nogil=True, error_model="numpy")
def fixed_row(row, step, half, u, codes):  # type: ignore[no-untyped-def]
    """Codes floor(x / step + u) of one row within [-half, half - 1], counted from -half."""
    least, most = -half, half - row.dtype.type(1)
    for j in range(row.shape[0]):
        place = min(max(row[j] / step, least), most)
        below = np.floor(place)
        codes[j] = np.int32(below) + np.int32(u[j] < place - below) + np.int32(half)


@njit(cache=True, nogil=True)
def _fixed(x, step, half, given, drawn, k0, k1, replicas, workers, out):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        u = numbers_of_row(given, drawn, k0, k1, replicas, workers, i)
        fixed_row(x[i], step, half, u, out[i])


@njit(cache=True, nogil=True)
def _looked_up(codes, table, out):  # type: ignore[no-untyped-def]
    shared = table.shape[0] == 1
    for i in range(codes.shape[0]):
        row, values, own = codes[i], out[i], table[0 if shared else i]
        for j in range(row.shape[0]):
            values[j] = own[row[j]]


def place_torch(x: Tensor, low: Tensor, high: Tensor, last: int) -> Tensor:
    """last (x - low) / (high - low), in [0, last] (float64); 0 where there is no width.

    Rows are scaled by a power of two, so that no difference leaves the range of doubles.
    """
    wide, bottom, top = (v.to(torch.float64) for v in (x, low, high))
    power = -torch.frexp(torch.maximum(bottom.abs(), top.abs())).exponent.clamp(-1000, 1000) - 1
    bottom = torch.ldexp(bottom, power)
    width = torch.ldexp(top, power) - bottom
    place = (torch.ldexp(wide, power) - bottom) / width * last
    return torch.where(width > 0, place, 0).clamp(0, last)


def between_torch(
    x: Tensor, low: Tensor, high: Tensor, last: int, u: Tensor | Counters, width: int
) -> Tensor:
    """The twin of :func:`between`, equal."""
    place = place_torch(x, low, high, last)
    below = place.floor()
    return (below.to(torch.int64) + (drawn_torch(u, x) < place - below)).to(code_dtype(width))


def between(
    x: Tensor, low: Tensor, high: Tensor, last: int, u: Tensor | Counters, width: int
) -> Tensor:
    """Codes ``[..., m, d]`` of rows among last + 1 points from ``low`` to ``high`` ``[..., m, 1]``.

    At random to one of the two neighbours, without bias, by one uniform a coordinate.
    """
    if by_torch(x):
        return between_torch(x, low, high, last, u, width)
    out = torch.empty(x.shape, dtype=code_dtype(width))
    numbers = row_numbers(u, x.shape, x.dtype)
    _between(_rows(x), _line(low), _line(high), float(last), *numbers, _rows(out))
    return out


def odd_torch(x: Tensor, scale: Tensor, last: int, u: Tensor | Counters) -> Tensor:
    """The twin of :func:`odd`, equal."""
    place = torch.where(scale > 0, x.abs() / scale * last, 0)
    below = 2 * ((place - 1) / 2).floor() + 1
    up = drawn_torch(u, x) < (place - below) / 2
    level = below + 2 * up.to(x.dtype)
    signed = torch.where(x < 0, -level, level)
    return ((signed + last) / 2).to(torch.uint8)


def odd(x: Tensor, scale: Tensor, last: int, u: Tensor | Counters) -> Tensor:
    """Codes ``[..., m, d]`` (uint8) of rows among the odd integers from -last to last, times
    scale / last, scales ``[..., m, 1]``; at random, drawn for magnitudes and mirrored."""
    if by_torch(x):
        return odd_torch(x, scale, last, u)
    out = torch.empty(x.shape, dtype=torch.uint8)
    rows = _rows(x)
    numbers = row_numbers(u, x.shape, x.dtype)
    _odd(rows, _line(scale), rows.dtype.type(last), *numbers, _rows(out))
    return out


def nearest_torch(x: Tensor, radius: Tensor, width: int) -> Tensor:
    """The twin of :func:`nearest`, equal."""
    top = (1 << width) - 1
    place = torch.where(radius > torch.zeros_like(x), (x / radius + 1) * (top / 2), 0)
    return (place + 0.5).floor().clamp(0, top).to(code_dtype(width))


def nearest(x: Tensor, radius: Tensor, width: int) -> Tensor:
    """The nearest of 2^width points from -radius to radius ``[..., m, 1]``; outside: the end."""
    if by_torch(x):
        return nearest_torch(x, radius, width)
    out = torch.empty(x.shape, dtype=code_dtype(width))
    rows = _rows(x)
    top = rows.dtype.type((1 << width) - 1)
    _nearest(rows, _line(radius.expand(*x.shape[:-1], 1)), top, _rows(out))
    return out


def within_torch(x: Tensor, radius: float, half: int, width: int) -> Tensor:
    """The twin of :func:`within`, equal."""
    place = (x / radius).clamp(-1, 1) * half
    return ((place + 0.5).floor().to(torch.int64) + half).to(code_dtype(width))


def within(x: Tensor, radius: float, half: int, width: int) -> Tensor:
    """The nearest of 2 half + 1 points from -radius to radius, counted from the lowest."""
    if by_torch(x):
        return within_torch(x, radius, half, width)
    out = torch.empty(x.shape, dtype=code_dtype(width))
    rows = _rows(x)
    _within(rows, rows.dtype.type(radius), rows.dtype.type(half), _rows(out))
    return out


def fixed_torch(x: Tensor, step: float, half: int, u: Tensor | Counters, width: int) -> Tensor:
    """The twin of :func:`fixed`, equal."""
    place = (x / step).clamp(-half, half - 1)
    below = place.floor()
    up = drawn_torch(u, x) < place - below
    return (below.to(torch.int64) + up + half).to(code_dtype(width))


def fixed(x: Tensor, step: float, half: int, u: Tensor | Counters, width: int) -> Tensor:
    """floor(x / step + u) within [-half, half - 1], counted from -half; ``step`` a power of two."""
    if by_torch(x):
        return fixed_torch(x, step, half, u, width)
    out = torch.empty(x.shape, dtype=code_dtype(width))
    rows = _rows(x)
    grid = rows.dtype.type(step), rows.dtype.type(half)
    _fixed(rows, *grid, *row_numbers(u, x.shape, x.dtype), _rows(out))
    return out


def from_codebook_torch(codes: Tensor, table: Tensor) -> Tensor:
    """The twin of :func:`from_codebook`, equal."""
    own = table.expand(*codes.shape[:-1], table.shape[-1])
    return own.gather(-1, codes.to(torch.int64))


def from_codebook(codes: Tensor, table: Tensor) -> Tensor:
    """Values of codes ``[..., m, d]`` in their row's table ``[..., m, K]`` or in one ``[K]``.

    Codes lie in [0, K).
    """
    if by_torch(codes):
        return from_codebook_torch(codes, table)
    out = torch.empty(codes.shape, dtype=table.dtype)
    _looked_up(_rows(codes), table.reshape(-1, table.shape[-1]).contiguous().numpy(), _rows(out))
    return out


def _rows(x: Tensor) -> Any:
    return x.detach().reshape(-1, x.shape[-1]).contiguous().numpy()


def _line(x: Tensor) -> Any:
    return x.detach().reshape(-1).contiguous().numpy()
