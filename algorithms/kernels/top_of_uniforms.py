"""Lots: which of d uniforms of a row are the largest, drawn and chosen without writing them out."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, integer_view, njit
from algorithms.kernels.philox import Counters, block, uniform_row, uniform_torch
from algorithms.kernels.quantile import level_of, room_to_take, take
from algorithms.kernels.selection import largest_torch


@njit(cache=True, nogil=True)
def _heads(k0, k1, replica, worker, keys):  # type: ignore[no-untyped-def]
    """The highest 31 of the 53 bits of each uniform of double precision."""
    five, four, rest = np.uint64(5), np.uint64(4), np.uint64(28)
    d = keys.shape[0]
    for b in range(d // 2):
        w0, w1, w2, w3 = block(b, worker, replica, 0, k0, k1)
        keys[2 * b] = np.int32(((w0 >> five) << four) | (w1 >> rest))
        keys[2 * b + 1] = np.int32(((w2 >> five) << four) | (w3 >> rest))
    if d % 2:
        w0, w1, _, _ = block(d // 2, worker, replica, 0, k0, k1)
        keys[d - 1] = np.int32(((w0 >> five) << four) | (w1 >> rest))


@njit(cache=True, nogil=True)
def room_for_lots(d):  # type: ignore[no-untyped-def]
    """Work arrays of :func:`lots_row` for d numbers: their heads, they themselves, room to take."""
    return np.empty(d, dtype=np.int32), np.empty(d), room_to_take(d)


@njit(cache=True, nogil=True)
def lots_row(k0, k1, replica, worker, k, room, out):  # type: ignore[no-untyped-def]
    """Places ``[k]`` of the k largest uniforms of one (replica, worker), ascending.

    The heads decide unless some at the level are equal; then all bits do: numbers at least 0 are in
    the order of theirs.
    """
    heads, u, rest = room
    d = heads.shape[0]
    _heads(k0, k1, replica, worker, heads)
    level, reached = level_of(heads, k, np.int64((1 << 31) * (1 - k / d)))
    if reached == k:
        take(heads, level, reached, k, rest, out)
        return
    uniform_row(k0, k1, replica, worker, u)
    bits = integer_view(u)
    whole, some = level_of(bits, k, np.int64(0))
    take(bits, whole, some, k, rest, out)


@njit(cache=True, nogil=True)
def _lots(k0, k1, replicas, workers, d, k, out):  # type: ignore[no-untyped-def]
    room = room_for_lots(d)
    for i in range(out.shape[0]):
        lots_row(k0, k1, replicas[i], workers[i], k, room, out[i])


@njit(cache=True, nogil=True)
def lose_row(row, lots, size):  # type: ignore[no-untyped-def]
    """Zeros in the packets ``lots`` of ``size`` coordinates of a row ``[d]``."""
    for e in range(lots.shape[0]):
        start = lots[e] * size
        for j in range(start, min(start + size, row.shape[0])):
            row[np.uint64(j)] = 0


@njit(cache=True, nogil=True)
def _lost(values, lots, size):  # type: ignore[no-untyped-def]
    for i in range(values.shape[0]):
        lose_row(values[i], lots[i], size)


@njit(cache=True, nogil=True)
def _picked(x, blocks, size, factor, out):  # type: ignore[no-untyped-def]
    d = x.shape[1]
    for i in range(x.shape[0]):
        for e in range(blocks.shape[1]):
            start, there = blocks[i, e] * size, out[i, e * size : (e + 1) * size]
            here = x[i, min(start, d) : min(start + size, d)]
            for j in range(here.shape[0]):
                there[j] = here[j] * factor
            there[here.shape[0] :] = 0


@njit(cache=True, nogil=True)
def _put(values, blocks, size, out):  # type: ignore[no-untyped-def]
    d = out.shape[1]
    for i in range(out.shape[0]):
        out[i, :] = 0
        for e in range(blocks.shape[1]):
            start, here = blocks[i, e] * size, values[i, e * size : (e + 1) * size]
            there = out[i, min(start, d) : min(start + size, d)]
            for j in range(there.shape[0]):
                there[j] = here[j]


def lots_torch(counters: Counters, d: int, k: int) -> Tensor:
    """The twin of :func:`lots`, equal."""
    return largest_torch(uniform_torch(*counters, d, torch.float64), k)


def lots(counters: Counters, d: int, k: int) -> Tensor:
    """Places ``[P, k]`` (int64) of the k largest of d uniforms of double precision of each row,
    ascending; ties to the lowest."""
    if by_torch(counters.workers):
        return lots_torch(counters, d, k)
    out = torch.empty((counters.workers.numel(), k), dtype=torch.int64)
    ids = counters.k0, counters.k1, counters.replicas.numpy(), counters.workers.numpy()
    _lots(*ids, d, k, out.numpy())
    return out


def lost_torch(values: Tensor, lots: Tensor, size: int) -> Tensor:
    """The twin of :func:`lost`, equal."""
    arrived = torch.ones((len(values), -(-values.shape[-1] // size)), device=values.device)
    arrived = arrived.to(torch.bool).scatter_(-1, lots, False).repeat_interleave(size, -1)
    return torch.where(arrived[:, : values.shape[-1]], values, 0)


def lost(values: Tensor, lots: Tensor, size: int) -> Tensor:
    """Rows ``[P, d]`` with zeros in the packets ``lots`` ``[P, k]`` of ``size`` coordinates."""
    if by_torch(values):
        return lost_torch(values, lots, size)
    out = values.detach().clone(memory_format=torch.contiguous_format)
    _lost(out.numpy(), lots.contiguous().numpy(), size)
    return out


def picked_torch(x: Tensor, blocks: Tensor, size: int, factor: float) -> Tensor:
    """The twin of :func:`picked`, equal."""
    places = blocks[..., None] * size + torch.arange(size, device=x.device)
    inside = places < x.shape[-1]
    held = x.gather(-1, places.clamp_max(x.shape[-1] - 1).flatten(1))
    return torch.where(inside.flatten(1), held * factor, 0)


def picked(x: Tensor, blocks: Tensor, size: int, factor: float) -> Tensor:
    """``factor`` times blocks ``[P, k]`` of ``size`` coordinates of rows ``[P, d]``, end to end;
    zeros beyond the row."""
    if by_torch(x):
        return picked_torch(x, blocks, size, factor)
    out = torch.empty((len(x), blocks.shape[-1] * size), dtype=x.dtype)
    rows = x.detach().contiguous().numpy()
    _picked(rows, blocks.contiguous().numpy(), size, rows.dtype.type(factor), out.numpy())
    return out


def put_back_torch(values: Tensor, blocks: Tensor, size: int, d: int) -> Tensor:
    """The twin of :func:`put_back`, equal."""
    places = blocks[..., None] * size + torch.arange(size, device=values.device)
    rows = values.new_zeros((len(values), d + 1))  # what lies beyond goes to a place of its own
    return rows.scatter_(-1, places.clamp_max(d).flatten(1), values)[:, :d].contiguous()


def put_back(values: Tensor, blocks: Tensor, size: int, d: int) -> Tensor:
    """Rows ``[P, d]`` with ``values`` ``[P, k * size]`` at their blocks ``[P, k]``, else zero."""
    if by_torch(values):
        return put_back_torch(values, blocks, size, d)
    out = torch.empty((len(values), d), dtype=values.dtype)
    _put(values.contiguous().numpy(), blocks.contiguous().numpy(), size, out.numpy())
    return out
