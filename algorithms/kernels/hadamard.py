"""The fast Walsh-Hadamard transform of rows, d log2 d additions."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit


@njit(cache=True, nogil=True)
def _eights(row):  # type: ignore[no-untyped-def]
    """The first three stages, eight neighbours at a time."""
    for q in range(row.shape[0] // 8):
        j = 8 * q
        a, b, c, d = row[j], row[j + 1], row[j + 2], row[j + 3]
        e, f, g, h = row[j + 4], row[j + 5], row[j + 6], row[j + 7]
        a, b, c, d, e, f, g, h = a + b, a - b, c + d, c - d, e + f, e - f, g + h, g - h
        a, c, b, d, e, g, f, h = a + c, a - c, b + d, b - d, e + g, e - g, f + h, f - h
        row[j], row[j + 4] = a + e, a - e
        row[j + 1], row[j + 5] = b + f, b - f
        row[j + 2], row[j + 6] = c + g, c - g
        row[j + 3], row[j + 7] = d + h, d - h


@njit(cache=True, nogil=True)
def transform_row(row, unit):  # type: ignore[no-untyped-def]
    """H x times ``unit``, in place."""
    d, half = row.shape[0], 1
    if d >= 8:
        _eights(row)
        half = 8
    while half < d:
        for start in range(0, d, 2 * half):
            low, high = row[start : start + half], row[start + half : start + 2 * half]
            for j in range(half):
                a, b = low[j], high[j]
                low[j], high[j] = a + b, a - b
        half *= 2
    for j in range(d):
        row[j] *= unit


@njit(cache=True, nogil=True)
def _transform(rows, unit):  # type: ignore[no-untyped-def]
    for i in range(rows.shape[0]):
        transform_row(rows[i], unit)


def _unit(d: int, dtype: torch.dtype) -> Tensor:
    return torch.tensor(1 / math.sqrt(d), dtype=dtype)


def unit_of(d: int, dtype: torch.dtype) -> Any:
    """1 / sqrt(d) as numpy's number of that type."""
    return np.asarray(_unit(d, dtype))[()]


def hadamard_numba(x: Tensor) -> Tensor:
    """H x / sqrt(d) of rows ``[P, d]``, d a power of two."""
    out = x.detach().clone(memory_format=torch.contiguous_format)
    _transform(out.numpy(), unit_of(x.shape[-1], x.dtype))
    return out


def hadamard_torch(x: Tensor) -> Tensor:
    """The twin of :func:`hadamard_numba`, equal bit for bit."""
    d, half = x.shape[-1], 1
    out = x
    while half < d:
        pairs = out.reshape(x.shape[0], -1, 2, half)
        a, b = pairs[:, :, 0], pairs[:, :, 1]
        out = torch.stack((a + b, a - b), 2).reshape(x.shape)
        half *= 2
    return out * _unit(d, x.dtype)


def hadamard(x: Tensor) -> Tensor:
    """H x / sqrt(d) of rows ``[..., m, d]``, Sylvester's order; its own inverse.

    Raises:
        ValueError: d is no power of two.
    """
    d = x.shape[-1]
    if d < 1 or d & (d - 1):
        raise ValueError(f"d must be a power of two, got d={d}; zeros at the end would do")
    act = hadamard_torch if by_torch(x) else hadamard_numba
    return act(x.reshape(-1, d)).reshape(x.shape)
