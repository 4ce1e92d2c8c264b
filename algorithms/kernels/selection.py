"""The k largest magnitudes of a row, ties to the lowest index, in ascending order of index.

Magnitudes are compared as the integers that their bits are, with a level that so many of them reach
(``quantile``). What the rows hold decides how often they are counted, never the result.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.extremes import bits_of
from algorithms.kernels.quantile import level_of, magnitudes, room_to_take, take


@njit(cache=True, nogil=True)
def largest_row(bits, mask, k, guess, keys, room, out):  # type: ignore[no-untyped-def]
    """Indices of the k largest magnitudes, ``mask``ed bits of a row ``[d]``, into ``[k]``; their
    level, a good guess for the next row. ``keys`` is room for a row, ``room`` that of ``take``."""
    magnitudes(bits, mask, keys)
    level, reached = level_of(keys, k, guess)
    take(keys, level, reached, k, room, out)
    return np.int64(level)


@njit(cache=True, nogil=True)
def largest_into(bits, mask, k, out):  # type: ignore[no-untyped-def]
    """Indices of the k largest magnitudes, ``mask``ed bits of rows ``[P, d]``, into ``[P, k]``."""
    rows, d = bits.shape
    keys, room = np.empty(d, dtype=bits.dtype), room_to_take(d)
    guess = np.int64(0)
    for i in range(rows):
        guess = largest_row(bits[i], mask, k, guess, keys, room, out[i])


def largest_numba(x: Tensor, k: int) -> Tensor:
    """Indices ``[P, k]`` (int64) of the k largest magnitudes of rows ``[P, d]``."""
    bits, mask = bits_of(x.contiguous())
    out = torch.empty((x.shape[0], k), dtype=torch.int64)
    largest_into(bits, mask, k, out.numpy())
    return out


def largest_torch(x: Tensor, k: int) -> Tensor:
    """The twin of :func:`largest_numba`, equal."""
    order = x.abs().sort(dim=-1, descending=True, stable=True).indices
    return order[:, :k].sort(dim=-1).values


def largest(x: Tensor, k: int) -> Tensor:
    """Indices ``[..., m, k]`` of the k largest magnitudes of rows ``[..., m, d]``, ascending.

    NaN counts as larger than any number.
    """
    act = largest_torch if by_torch(x) else largest_numba
    return act(x.reshape(-1, x.shape[-1]), k).reshape(*x.shape[:-1], k)
