"""The highest values of rows, or of each side of zero, by a level that so many of them reach."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import njit
from algorithms.kernels.extremes import bits_of
from algorithms.kernels.quantile import level_of, room_to_take, signed, take
from algorithms.kernels.row_norms import signed_sum, sum_of_magnitudes


@njit(cache=True, nogil=True)
def _highest(bits, mask, count, out):  # type: ignore[no-untyped-def]
    d = bits.shape[1]
    keys, found = np.empty(d, dtype=bits.dtype), np.empty(d, dtype=np.int32)
    room = room_to_take(d)
    guess = np.int64(0)
    for i in range(bits.shape[0]):
        k = min(count[i], d)
        out[i, :] = 0
        if k < 1:
            continue
        signed(bits[i], mask, keys)
        level, reached = level_of(keys, k, guess)
        guess = np.int64(level)
        if reached == k:
            for j in range(d):
                out[i, j] = keys[j] >= level
            continue
        take(keys, level, reached, k, room, found)
        for e in range(k):
            out[i, found[e]] = 1


@njit(cache=True, nogil=True)
def _side(keys, share, guess, room, found, mark, marks):  # type: ignore[no-untyped-def]
    """Marks those of the positive keys that are to be taken; returns their level."""
    count = np.int32(0)
    for j in range(keys.shape[0]):
        count = np.int32(count + (keys[j] > 0))
    k = share[count]
    if k < 1:
        return guess
    level, reached = level_of(keys, k, guess)
    if reached == k:
        for j in range(keys.shape[0]):
            marks[j] |= np.uint8(keys[j] >= level) * np.uint8(mark)
    else:
        take(keys, level, reached, k, room, found)
        for e in range(k):
            marks[found[e]] = mark
    return np.int64(level)


@njit(cache=True, nogil=True)
def _both_sides(bits, mask, share, marks):  # type: ignore[no-untyped-def]
    d = bits.shape[1]
    keys, found = np.empty(d, dtype=bits.dtype), np.empty(d, dtype=np.int32)
    room = room_to_take(d)
    up = down = np.int64(0)
    for i in range(bits.shape[0]):
        signed(bits[i], mask, keys)
        marks[i, :] = 0
        up = _side(keys, share, up, room, found, 1, marks[i])
        for j in range(d):
            keys[j] = -keys[j]
        down = _side(keys, share, down, room, found, 2, marks[i])


@njit(cache=True, nogil=True)
def _means(count, places, sides, x, out):  # type: ignore[no-untyped-def]
    held = np.empty((2, places.shape[1]), dtype=x.dtype)
    filled = np.zeros(2, dtype=np.int64)
    for i in range(x.shape[0]):
        filled[:] = 0
        for e in range(count[i]):
            own = np.int64(sides[i, e]) - 1
            held[own, filled[own]] = x[i, places[i, e]]
            filled[own] += 1
        for side in range(2):
            total = sum_of_magnitudes(held[side, : filled[side]])
            out[i, side] = total / max(filled[side], 1)


@njit(cache=True, nogil=True)
def _extremes(x, bits, mask, k, top, bottom, means):  # type: ignore[no-untyped-def]
    d = bits.shape[1]
    keys, room = np.empty(d, dtype=bits.dtype), room_to_take(d)
    held = np.empty(k, dtype=x.dtype)
    up = down = np.int64(0)
    for i in range(bits.shape[0]):
        signed(bits[i], mask, keys)
        level, reached = level_of(keys, k, up)
        up = np.int64(level)
        take(keys, level, reached, k, room, top[i])
        for e in range(k):
            held[e] = x[i, top[i, e]]
        means[i, 0] = signed_sum(held) / k
        for j in range(d):
            keys[j] = -keys[j]
        level, reached = level_of(keys, k, down)
        down = np.int64(level)
        take(keys, level, reached, k, room, bottom[i])
        for e in range(k):
            held[e] = -x[i, bottom[i, e]]
        means[i, 1] = signed_sum(held) / k


def highest(x: Tensor, count: Tensor) -> Tensor:
    """Mask of the ``count`` ``[..., m, 1]`` highest of rows ``[..., m, d]`` without NaN, on a CPU.

    Of equals the lower index goes first.
    """
    rows = x.detach().reshape(-1, x.shape[-1]).contiguous()
    out = torch.empty(x.shape, dtype=torch.bool)
    counts = count.expand(*x.shape[:-1], 1).reshape(-1).contiguous()
    _highest(*bits_of(rows), counts.numpy(), out.view(rows.shape).numpy())
    return out


def both_sides(x: Tensor, share: Tensor) -> Tensor:
    """Marks ``[..., m, d]`` (uint8) of the highest and the lowest of rows without NaN, on a CPU.

    Of n values above zero ``share[n]`` (int64) are taken, marked 1, and so of those below, marked
    2.
    """
    rows = x.detach().reshape(-1, x.shape[-1]).contiguous()
    marks = torch.empty(x.shape, dtype=torch.uint8)
    _both_sides(*bits_of(rows), share.numpy(), marks.view(rows.shape).numpy())
    return marks


def means_of_sides(x: Tensor, count: Tensor, places: Tensor, sides: Tensor) -> Tensor:
    """Mean magnitudes ``[..., m, 2]`` (float64) of rows at the first ``count`` ``[..., m, 1]`` of
    places ``[..., m, cap]``, by the mark of each, 1 or 2; 0 for an empty side. On a CPU."""
    rows, *lists = (
        v.detach().reshape(-1, v.shape[-1]).contiguous().numpy() for v in (x, count, places, sides)
    )
    out = torch.empty((*x.shape[:-1], 2), dtype=torch.float64)
    _means(lists[0][:, 0], *lists[1:], rows, out.view(-1, 2).numpy())
    return out


def extremes(x: Tensor, k: int) -> tuple[Tensor, Tensor, Tensor]:
    """Places ``[..., m, k]`` (int32) of the k highest of rows without NaN, ascending, those of the
    k lowest, and the means ``[..., m, 2]`` (float64) of the first and of the second's negatives,
    on a CPU."""
    rows = x.detach().reshape(-1, x.shape[-1]).contiguous()
    top, bottom = (torch.empty((*x.shape[:-1], k), dtype=torch.int32) for _ in range(2))
    means = torch.empty((*x.shape[:-1], 2), dtype=torch.float64)
    _extremes(
        rows.numpy(), *bits_of(rows), k, top.view(-1, k).numpy(), bottom.view(-1, k).numpy(),
        means.view(-1, 2).numpy(),
    )  # fmt: skip
    return top, bottom, means
