"""Natural dithering: shares of a scale rounded at random to 0 or a power of two.

The exponent field of the share is the level and its mantissa the position within the cell; below
the smallest power the share itself is. So nothing is rounded on the way, and kernel and twin agree
bit for bit.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.drawn import drawn_torch, numbers_of_row, row_numbers
from algorithms.kernels.extremes import bits_of
from algorithms.kernels.philox import Counters
from algorithms.kernels.rounding import code_dtype

_FIELDS = {torch.float32: (23, 127), torch.float64: (52, 1023)}


@njit(cache=True, nogil=True, error_model="numpy")
def dithered_row(row, top, s, width, share, bits, mantissa, bias, u, codes):  # type: ignore[no-untyped-def]
    """Codes of one row of scale ``top``, which is not 0; ``share`` is room for a row and ``bits``
    are its bits, of that many of mantissa and that ``bias``."""
    one = share.dtype.type(1)
    mask = bits.dtype.type((1 << mantissa) - 1)
    unit = share.dtype.type(2.0**-mantissa)
    below = share.dtype.type(2.0 ** (s - 1))
    for j in range(row.shape[0]):
        share[j] = min(abs(row[j]) / top, one)
    for j in range(row.shape[0]):
        level = max((bits[j] >> mantissa) + bits.dtype.type(s - bias), bits.dtype.type(0))
        inside = share.dtype.type(bits[j] & mask) * unit
        position = inside if level > 0 else share[j] * below
        code = np.int32(level) + np.int32(u[j] < position)
        codes[j] = code | (np.int32(row[j] < 0) << width)


@njit(cache=True, nogil=True)
def _dithered(  # type: ignore[no-untyped-def]
    x, scale, s, width, share, bits, mantissa, bias,
    given, drawn, k0, k1, replicas, workers, out,
):  # fmt: skip
    for i in range(x.shape[0]):
        if not scale[i] > 0:
            out[i, :] = 0
            continue
        u = numbers_of_row(given, drawn, k0, k1, replicas, workers, i)
        dithered_row(x[i], scale[i], s, width, share, bits, mantissa, bias, u, out[i])


def inner_torch(place: Tensor, s: int) -> Tensor:
    """The level, 0 ... s, at or below each place in [0, 1] (float64)."""
    return (torch.frexp(place).exponent.to(torch.int64) + s - 1).clamp_min(0) * (place > 0)


def power_torch(level: Tensor, s: int, dtype: torch.dtype = torch.float64) -> Tensor:
    """2^(level - s), and 0 for level 0."""
    one = torch.ones_like(level, dtype=torch.float64)
    return torch.where(level > 0, torch.ldexp(one, level - s), 0).to(dtype)


def place_torch(x: Tensor, scale: Tensor) -> Tensor:
    """|x| / scale within [0, 1] (float64)."""
    return torch.where(scale > 0, x.abs() / scale, 0).clamp_max(1).to(torch.float64)


def dithered_torch(x: Tensor, scale: Tensor, s: int, u: Tensor | Counters) -> Tensor:
    """The twin of :func:`dithered`, equal."""
    place = place_torch(x, scale)
    inner = inner_torch(place, s)
    low, high = power_torch(inner, s), power_torch(inner + 1, s)
    up = drawn_torch(u, x) * (high - low) < place - low
    sign = ((x < 0) & (scale > 0)).to(torch.int64)
    return ((inner + up) | (sign << s.bit_length())).to(code_dtype(1 + s.bit_length()))


def dithered(x: Tensor, scale: Tensor, s: int, u: Tensor | Counters) -> Tensor:
    """Codes ``[..., m, d]``, sign above level, of rows on the grid 0, 2^{1-s}, ..., 1 times
    ``scale`` ``[..., m, 1]``; u broadcasts to x, or is the counters of its rows."""
    if by_torch(x):
        return dithered_torch(x, scale, s, u)
    rows = x.detach().reshape(-1, x.shape[-1]).contiguous()
    out = torch.empty(x.shape, dtype=code_dtype(1 + s.bit_length()))
    share = torch.empty(x.shape[-1], dtype=x.dtype)
    _dithered(
        rows.numpy(), scale.reshape(-1).contiguous().numpy(), s, s.bit_length(),
        share.numpy(), bits_of(share)[0], *_FIELDS[x.dtype],
        *row_numbers(u, x.shape, x.dtype), out.view(-1, x.shape[-1]).numpy(),
    )  # fmt: skip
    return out
