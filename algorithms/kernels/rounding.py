"""Rounding to a grid at random: which of the two neighbours, decided by one uniform a coordinate.

Codes are integers: the sign above the magnitude, 1 + width bits. A coordinate is rounded away
from zero when its uniform lies below its position within the cell; so the law is exact up to
the spacing of the uniforms, 2^-53 in float64 and 2^-24 in float32. Kernels and twins perform the
same IEEE operations and agree bit for bit. Where counters are given for uniforms, a kernel draws
each row's numbers just before it uses them; they are the same numbers.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.philox import Counters, uniform_row, uniform_torch


@njit(cache=True, nogil=True, error_model="numpy")
def level_row(x, top, s, u, width, out):  # type: ignore[no-untyped-def]
    """Codes of one row on the grid of scale ``top``, which is not 0, by its uniforms u."""
    for j in range(x.shape[0]):
        place = abs(x[j]) / top * s
        below = np.floor(place)
        level = np.int32(below) + np.int32(u[j] < place - below)
        out[j] = level | (np.int32(x[j] < 0) << width)


@njit(cache=True, nogil=True)
def _levels(x, scale, s, u, width, out):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        if scale[i] == 0:
            out[i, :] = 0
        else:
            level_row(x[i], scale[i], s, u[i], width, out[i])


@njit(cache=True, nogil=True)
def _levels_drawn(x, scale, s, k0, k1, replicas, workers, width, out):  # type: ignore[no-untyped-def]
    u = np.empty(x.shape[1], dtype=x.dtype)
    for i in range(x.shape[0]):
        if scale[i] == 0:
            out[i, :] = 0
        else:
            uniform_row(k0, k1, replicas[i], workers[i], u)
            level_row(x[i], scale[i], s, u, width, out[i])


@njit(cache=True, nogil=True, error_model="numpy")
def value_row(codes, top, s, width, out):  # type: ignore[no-untyped-def]
    """Values of the levels of a row of scale ``top``: level / s times it."""
    mask = np.int32((1 << width) - 1)
    for j in range(codes.shape[0]):
        code = np.int32(codes[j])
        level = code & mask
        signed = -level if code >> width else level
        out[j] = out.dtype.type(signed) / s * top


@njit(cache=True, nogil=True)
def _values(codes, scale, s, width, out):  # type: ignore[no-untyped-def]
    for i in range(codes.shape[0]):
        value_row(codes[i], scale[i], s, width, out[i])


@njit(cache=True, nogil=True)
def exponent_row(bits, u, mantissa, exponent, unit, out):  # type: ignore[no-untyped-def]
    """Codes of one row, given by its bits: sign above exponent, rounded up by its uniforms u."""
    low = (np.int64(1) << mantissa) - 1
    mask = (np.int64(1) << exponent) - 1
    for j in range(bits.shape[0]):
        word = np.int64(bits[j])
        position = u.dtype.type(word & low) * unit
        code = ((word >> mantissa) & mask) + np.int64(u[j] < position)
        out[j] = code | (np.int64(word < 0) << exponent)


@njit(cache=True, nogil=True)
def _exponents(bits, u, mantissa, exponent, unit, out):  # type: ignore[no-untyped-def]
    for i in range(bits.shape[0]):
        exponent_row(bits[i], u[i], mantissa, exponent, unit, out[i])


@njit(cache=True, nogil=True)
def _exponents_drawn(  # type: ignore[no-untyped-def]
    bits, u, k0, k1, replicas, workers, mantissa, exponent, unit, out
):
    for i in range(bits.shape[0]):
        uniform_row(k0, k1, replicas[i], workers[i], u)
        exponent_row(bits[i], u, mantissa, exponent, unit, out[i])


def code_dtype(width: int) -> torch.dtype:
    """The smallest integer type that holds every code of ``width`` bits."""
    for bits, dtype in ((8, torch.uint8), (15, torch.int16), (31, torch.int32)):
        if width <= bits:
            return dtype
    return torch.int64


def levels_numba(x: Tensor, scale: Tensor, s: int, u: Tensor | Counters, width: int) -> Tensor:
    """Codes ``[P, d]`` of rows ``[P, d]`` on the grid scale * {0, ..., s} / s, scales ``[P]``."""
    out = torch.empty(x.shape, dtype=code_dtype(width + 1))
    rows = x.detach().numpy()
    grid = scale.detach().numpy(), rows.dtype.type(s)
    if isinstance(u, Counters):
        ids = u.k0, u.k1, u.replicas.numpy(), u.workers.numpy()
        _levels_drawn(rows, *grid, *ids, np.int32(width), out.numpy())
    else:
        _levels(rows, *grid, u.numpy(), np.int32(width), out.numpy())
    return out


def levels_torch(x: Tensor, scale: Tensor, s: int, u: Tensor | Counters, width: int) -> Tensor:
    """The twin of :func:`levels_numba`, equal bit for bit."""
    top = scale[:, None]
    place = torch.where(top == 0, 0, x.abs() / top * s)
    below = place.floor()
    level = below.to(torch.int64) + (_drawn(u, x) < place - below)
    sign = ((x < 0) & (top != 0)).to(torch.int64)
    return (level | (sign << width)).to(code_dtype(width + 1))


def values_numba(codes: Tensor, scale: Tensor, s: int, width: int, dtype: torch.dtype) -> Tensor:
    """Rows ``[P, d]`` of ``dtype`` that codes ``[P, d]`` stand for: +-(level / s) * scale."""
    out = torch.empty(codes.shape, dtype=dtype)
    rows = out.numpy()
    _values(codes.numpy(), scale.detach().numpy(), rows.dtype.type(s), np.int32(width), rows)
    return out


def values_torch(codes: Tensor, scale: Tensor, s: int, width: int, dtype: torch.dtype) -> Tensor:
    """The twin of :func:`values_numba`, equal bit for bit."""
    wide = codes.to(torch.int64)
    level = wide & ((1 << width) - 1)
    signed = torch.where((wide >> width) > 0, -level, level)
    return signed.to(dtype) / s * scale[:, None]


def _parts(dtype: torch.dtype) -> tuple[int, int, torch.dtype]:
    """Bits of mantissa and exponent of an IEEE type, and the integer type of its size."""
    return (23, 8, torch.int32) if dtype == torch.float32 else (52, 11, torch.int64)


def exponents_numba(x: Tensor, u: Tensor | Counters) -> Tensor:
    """Codes ``[P, d]`` of rows rounded at random to 0 or a signed power of two.

    The grid is 0 and the powers of two that are normal numbers of the dtype; the exponent field
    of IEEE numbers is the code, and the mantissa the position within the cell, for subnormal
    numbers too (their cell is from 0 to the smallest normal number).
    """
    mantissa, exponent, integer = _parts(x.dtype)
    rows = x.detach().view(integer).numpy()
    out = torch.empty(x.shape, dtype=code_dtype(exponent + 1))
    row = np.empty(x.shape[-1], dtype=np.float32 if x.dtype == torch.float32 else np.float64)
    fields = np.int64(mantissa), np.int64(exponent), row.dtype.type(2.0**-mantissa)
    if isinstance(u, Counters):
        ids = u.k0, u.k1, u.replicas.numpy(), u.workers.numpy()
        _exponents_drawn(rows, row, *ids, *fields, out.numpy())
    else:
        _exponents(rows, u.numpy(), *fields, out.numpy())
    return out


def exponents_torch(x: Tensor, u: Tensor | Counters) -> Tensor:
    """The twin of :func:`exponents_numba`, equal bit for bit."""
    mantissa, exponent, integer = _parts(x.dtype)
    word = x.contiguous().view(integer).to(torch.int64)
    position = (word & ((1 << mantissa) - 1)).to(x.dtype) * 2.0**-mantissa
    code = ((word >> mantissa) & ((1 << exponent) - 1)) + (_drawn(u, x) < position)
    sign = (word < 0).to(torch.int64)
    return (code | (sign << exponent)).to(code_dtype(exponent + 1))


def powers(codes: Tensor, dtype: torch.dtype) -> Tensor:
    """Values of codes of :func:`exponents`: the number whose mantissa is empty."""
    mantissa, _, integer = _parts(dtype)
    words = codes.to(integer, copy=True)
    words <<= mantissa
    return words.view(dtype)


def levels(x: Tensor, scale: Tensor, s: int, u: Tensor | Counters, width: int) -> Tensor:
    """Codes ``[..., m, d]`` for rows ``[..., m, d]`` and scales ``[..., m, 1]``.

    ``u`` holds uniforms that broadcast to x, or the counters of as many rows as x has.
    """
    act = levels_torch if by_torch(x) else levels_numba
    flat = act(x.reshape(-1, x.shape[-1]), scale.reshape(-1), s, _by_row(u, x), width)
    return flat.reshape(x.shape)


def values(codes: Tensor, scale: Tensor, s: int, width: int, dtype: torch.dtype) -> Tensor:
    """Rows ``[..., m, d]`` for codes ``[..., m, d]`` and scales ``[..., m, 1]``."""
    act = values_torch if by_torch(codes) else values_numba
    flat = act(codes.reshape(-1, codes.shape[-1]), scale.reshape(-1), s, width, dtype)
    return flat.reshape(codes.shape)


def exponents(x: Tensor, u: Tensor | Counters) -> Tensor:
    """Codes ``[..., m, d]`` for rows ``[..., m, d]``; u as in :func:`levels`."""
    act = exponents_torch if by_torch(x) else exponents_numba
    return act(x.reshape(-1, x.shape[-1]).contiguous(), _by_row(u, x)).reshape(x.shape)


def _by_row(u: Tensor | Counters, x: Tensor) -> Tensor | Counters:
    return u if isinstance(u, Counters) else u.expand(x.shape).reshape(-1, x.shape[-1])


def _drawn(u: Tensor | Counters, x: Tensor) -> Tensor:
    return uniform_torch(*u, x.shape[-1], x.dtype) if isinstance(u, Counters) else u
