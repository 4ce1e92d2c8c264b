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
def highest_keys(keys, count, guess, room, found, mask):  # type: ignore[no-untyped-def]
    """Mask ``[d]`` of the ``count`` highest keys, ties to the lowest place; their level."""
    k = min(count, keys.shape[0])
    mask[:] = 0
    if k < 1:
        return guess
    level, reached = level_of(keys, k, guess)
    if reached == k:
        for j in range(keys.shape[0]):
            mask[j] = keys[j] >= level
        return np.int64(level)
    take(keys, level, reached, k, room, found)
    for e in range(k):
        mask[found[e]] = 1
    return np.int64(level)


@njit(cache=True, nogil=True)
def _highest(bits, mask, count, out):  # type: ignore[no-untyped-def]
    d = bits.shape[1]
    keys, found = np.empty(d, dtype=bits.dtype), np.empty(d, dtype=np.int32)
    room = room_to_take(d)
    guess = np.int64(0)
    for i in range(bits.shape[0]):
        signed(bits[i], mask, keys)
        guess = highest_keys(keys, count[i], guess, room, found, out[i])


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
def both_sides_row(bits, mask, share, guesses, keys, room, found, marks):  # type: ignore[no-untyped-def]
    """:func:`both_sides` of a row ``[d]``; ``guesses`` ``[2]`` are of the levels, and become
    them."""
    signed(bits, mask, keys)
    marks[:] = 0
    guesses[0] = _side(keys, share, guesses[0], room, found, 1, marks)
    for j in range(keys.shape[0]):
        keys[j] = -keys[j]
    guesses[1] = _side(keys, share, guesses[1], room, found, 2, marks)


@njit(cache=True, nogil=True)
def _both_sides(bits, mask, share, marks):  # type: ignore[no-untyped-def]
    d = bits.shape[1]
    keys, found = np.empty(d, dtype=bits.dtype), np.empty(d, dtype=np.int32)
    room, guesses = room_to_take(d), np.zeros(2, np.int64)
    for i in range(bits.shape[0]):
        both_sides_row(bits[i], mask, share, guesses, keys, room, found, marks[i])


@njit(cache=True, nogil=True)
def mean_of_side(row, marks, side, held):  # type: ignore[no-untyped-def]
    """Mean magnitude of what is marked ``side`` in a row ``[d]``, and how much that is; ``held`` is
    room for a number more than it."""
    filled = np.int64(0)
    for j in range(row.shape[0]):
        held[filled] = row[j]
        filled += np.int64(marks[j] == side)
    return sum_of_magnitudes(held[:filled]) / max(filled, 1), filled


@njit(cache=True, nogil=True)
def _means(marks, x, out):  # type: ignore[no-untyped-def]
    held = np.empty(x.shape[1] + 1, dtype=x.dtype)
    for i in range(x.shape[0]):
        for side in range(2):
            out[i, side], _ = mean_of_side(x[i], marks[i], side + 1, held)


@njit(cache=True, nogil=True)
def _highest_mean(x, keys, sign, k, guess, room, held, places):  # type: ignore[no-untyped-def]
    """Places of the k highest keys, and the mean of x there times a sign; their level."""
    level, reached = level_of(keys, k, guess)
    take(keys, level, reached, k, room, places)
    for e in range(k):
        held[e] = sign * x[places[e]]
    return np.int64(level), signed_sum(held) / k


@njit(cache=True, nogil=True)
def extremes_row(x, bits, mask, k, guesses, keys, room, held, top, bottom, means):  # type: ignore[no-untyped-def]
    """:func:`extremes` of a row ``[d]``; ``guesses`` as of :func:`both_sides_row`."""
    one = x.dtype.type(1)
    signed(bits, mask, keys)
    guesses[0], means[0] = _highest_mean(x, keys, one, k, guesses[0], room, held, top)
    for j in range(keys.shape[0]):
        keys[j] = -keys[j]
    guesses[1], means[1] = _highest_mean(x, keys, -one, k, guesses[1], room, held, bottom)


@njit(cache=True, nogil=True)
def _extremes(x, bits, mask, k, top, bottom, means):  # type: ignore[no-untyped-def]
    d = bits.shape[1]
    keys, room = np.empty(d, dtype=bits.dtype), room_to_take(d)
    held, guesses = np.empty(k, dtype=x.dtype), np.zeros(2, np.int64)
    for i in range(bits.shape[0]):
        extremes_row(x[i], bits[i], mask, k, guesses, keys, room, held, top[i], bottom[i], means[i])


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


def means_of_sides(x: Tensor, marks: Tensor) -> Tensor:
    """Mean magnitudes ``[..., m, 2]`` (float64) of what is marked 1 and 2 of rows ``[..., m, d]``;
    0 for an empty side. On a CPU."""
    rows, own = (v.detach().reshape(-1, v.shape[-1]).contiguous().numpy() for v in (x, marks))
    out = torch.empty((*x.shape[:-1], 2), dtype=torch.float64)
    _means(own, rows, out.view(-1, 2).numpy())
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
