"""Entries that exceed their variance, as sign and power of two below the row's largest power."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, integer_view, njit

LEAST = -(1 << 20)
"""The exponent of zero."""
LEVELS = 8
"""How many powers there are, from the largest of the row on."""


@njit(cache=True, nogil=True)
def _powers(row, wide, power):  # type: ignore[no-untyped-def]
    """Exponents of the powers of two nearest to magnitudes; ``wide`` is room for a row."""
    tiny, huge, least = 2.0**-1022, 2.0**54, np.int32(LEAST)
    for j in range(row.shape[0]):
        size = abs(np.float64(row[j]))
        wide[j] = size * huge if size < tiny else size
    bits = integer_view(wide)
    for j in range(row.shape[0]):
        size = abs(np.float64(row[j]))
        exponent = np.int32(bits[j] >> 52) - np.int32(1023)
        exponent += np.int32((bits[j] >> 51) & 1) - np.int32(54 if size < tiny else 0)
        power[j] = least if size == 0 else exponent


@njit(cache=True, nogil=True)
def codes_row(row, v, alpha, wide, power, codes):  # type: ignore[no-untyped-def]
    """:func:`codes` of a row ``[d]`` beside v ``[d]`` or ``[1]``: its largest exponent."""
    top, step = np.int32(LEAST), 1 if v.shape[0] > 1 else 0
    _powers(row, wide, power)
    for j in range(row.shape[0]):
        clear = (row[j] * row[j] > alpha * v[j * step]) | (v[j * step] == 0)
        clear &= row[j] != 0
        codes[j] = clear
        top = max(top, power[j] if clear else np.int32(LEAST))
    for j in range(row.shape[0]):
        below = top - power[j]
        sent = (codes[j] != 0) & (below < LEVELS)
        code = min(max(below, np.int32(0)), np.int32(LEVELS - 1))
        code += np.int32(LEVELS) * np.int32(row[j] < 0)
        codes[j] = code + np.int32(1) if sent else np.int32(0)
    return top


@njit(cache=True, nogil=True)
def _codes(x, noise, alpha, out, tops):  # type: ignore[no-untyped-def]
    wide, power = np.empty(x.shape[1]), np.empty(x.shape[1], dtype=np.int32)
    for i in range(x.shape[0]):
        tops[i] = codes_row(x[i], noise[i], alpha, wide, power, out[i])


def power_torch(x: Tensor) -> Tensor:
    """The exponent e of the power of two nearest to |x| (ties up), least for zero."""
    mantissa, exponent = torch.frexp(x)  # 0.5 <= |mantissa| < 1
    power = exponent - 1 + (mantissa.abs() >= 0.75).to(torch.int32)
    return torch.where(x == 0, LEAST, power)


def clear_torch(x: Tensor, noise: Tensor, alpha: float) -> Tensor:
    """Mask ``[..., m, d]`` of what is not zero and stands out: x^2 > alpha noise, or no noise."""
    return (x != 0) & ((x * x > alpha * noise) | (noise == 0))


def codes_torch(x: Tensor, noise: Tensor, alpha: float) -> tuple[Tensor, Tensor]:
    """The twin of :func:`codes`, equal."""
    clear, power = clear_torch(x, noise, alpha), power_torch(x)
    top = torch.where(clear, power, LEAST).amax(-1, keepdim=True)
    sent = clear & (top - power < LEVELS)
    code = (top - power).clamp(0, LEVELS - 1) + LEVELS * (x < 0).to(torch.int32)
    return top, torch.where(sent, code + 1, 0).to(torch.uint8)


def codes(x: Tensor, noise: Tensor, alpha: float) -> tuple[Tensor, Tensor]:
    """Largest exponents ``[..., m, 1]`` (int32) of rows, and their codes ``[..., m, d]`` (uint8).

    A code is 1 + how far the power of two is below the largest + 8 below zero; 0 where nothing is
    sent: what does not stand out of ``noise`` ``[..., m, d]`` or ``[..., m, 1]``, or would round
    below the least power.
    """
    if by_torch(x):
        return codes_torch(x, noise, alpha)
    out = torch.empty(x.shape, dtype=torch.uint8)
    tops = torch.empty((*x.shape[:-1], 1), dtype=torch.int32)
    rows, beside = (v.detach().reshape(-1, v.shape[-1]).contiguous().numpy() for v in (x, noise))
    codes, highest = out.view(rows.shape).numpy(), tops.view(-1).numpy()
    _codes(rows, beside, rows.dtype.type(alpha), codes, highest)
    return tops, out
