"""The fast Walsh-Hadamard transform of rows, d log2 d additions."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit


@njit(cache=True, nogil=True)
def _transform(rows, unit):  # type: ignore[no-untyped-def]
    d = rows.shape[1]
    for i in range(rows.shape[0]):
        row = rows[i]
        half = 1
        while half < d:
            for start in range(0, d, 2 * half):
                for j in range(start, start + half):
                    a, b = row[j], row[j + half]
                    row[j], row[j + half] = a + b, a - b
            half *= 2
        for j in range(d):
            row[j] *= unit


def _unit(d: int, dtype: torch.dtype) -> Tensor:
    return torch.tensor(1 / math.sqrt(d), dtype=dtype)


def hadamard_numba(x: Tensor) -> Tensor:
    """H x / sqrt(d) of rows ``[P, d]``, d a power of two."""
    out = x.detach().clone(memory_format=torch.contiguous_format)
    _transform(out.numpy(), np.asarray(_unit(x.shape[-1], x.dtype))[()])
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
