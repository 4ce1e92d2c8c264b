"""Fields of any width as bits, most significant first, one after the other.

The kernels shift whole symbols through a 64-bit window; the twins spread every symbol into single
bits. Both write the same bytes.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit


@njit(cache=True, nogil=True)
def _put(words, width, start, out):  # type: ignore[no-untyped-def]
    rows, count = words.shape
    for i in range(rows):
        position = start
        for j in range(count):
            word = np.uint64(words[i, j])
            left = width
            while left > 0:
                room = 8 - position % 8
                take = min(room, left)
                piece = (word >> np.uint64(left - take)) & np.uint64((1 << take) - 1)
                out[i, position // 8] |= np.uint8(piece << np.uint64(room - take))
                position += take
                left -= take


@njit(cache=True, nogil=True)
def _get(packed, width, start, out):  # type: ignore[no-untyped-def]
    rows, count = out.shape
    for i in range(rows):
        position = start
        for j in range(count):
            word = np.uint64(0)
            left = width
            while left > 0:
                room = 8 - position % 8
                take = min(room, left)
                piece = np.uint64(packed[i, position // 8]) >> np.uint64(room - take)
                word = (word << np.uint64(take)) | (piece & np.uint64((1 << take) - 1))
                position += take
                left -= take
            out[i, j] = out.dtype.type(word)


def put_numba(words: Tensor, width: int, start: int, out: Tensor) -> None:
    """Write words ``[P, count]`` (any integer type) into ``out`` ``[P, bytes]`` from bit ``start``.

    ``out`` must be zero where it is written.
    """
    _put(words.numpy(), width, start, out.numpy())


def get_numba(
    packed: Tensor, width: int, start: int, count: int, dtype: torch.dtype = torch.int64
) -> Tensor:
    """Words ``[P, count]`` from bit ``start`` on of bytes ``[P, bytes]``, as integers of ``dtype``.

    A word that fills its type is read as two's complement.
    """
    out = torch.empty((packed.shape[0], count), dtype=dtype)
    _get(packed.numpy(), width, start, out.numpy())
    return out


def _shifts(width: int, device: torch.device) -> Tensor:
    return torch.arange(width - 1, -1, -1, device=device)


def put_torch(words: Tensor, width: int, start: int, out: Tensor) -> None:
    """The twin of :func:`put_numba`, equal byte for byte."""
    spread = (words.to(torch.int64)[..., None] >> _shifts(width, words.device)) & 1
    bits = torch.zeros((words.shape[0], 8 * out.shape[1]), dtype=torch.uint8, device=words.device)
    length = words.shape[1] * width
    bits[:, start : start + length] = spread.reshape(words.shape[0], length).to(torch.uint8)
    weights = 1 << _shifts(8, words.device)
    grouped = torch.unflatten(bits, -1, (-1, 8)).to(torch.int64)
    out |= (grouped * weights).sum(-1).to(torch.uint8)


def get_torch(
    packed: Tensor, width: int, start: int, count: int, dtype: torch.dtype = torch.int64
) -> Tensor:
    """The twin of :func:`get_numba`, equal."""
    bits = (packed.to(torch.int64)[..., None] >> _shifts(8, packed.device)) & 1
    rows = packed.shape[0]
    mine = bits.flatten(-2)[:, start : start + count * width].reshape(rows, count, width)
    return (mine << _shifts(width, packed.device)).sum(-1).to(dtype)


def put(words: Tensor, width: int, start: int, out: Tensor) -> None:
    """Write words ``[P, count]`` into ``out`` ``[P, bytes]`` from bit ``start``."""
    (put_torch if by_torch(words) else put_numba)(words, width, start, out)


def get(
    packed: Tensor, width: int, start: int, count: int, dtype: torch.dtype = torch.int64
) -> Tensor:
    """Words ``[P, count]`` of ``dtype`` from bit ``start`` on of bytes ``[P, bytes]``."""
    return (get_torch if by_torch(packed) else get_numba)(packed, width, start, count, dtype)
