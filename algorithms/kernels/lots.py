"""Lots: which of d uniforms of a row are the largest, drawn and chosen without writing them out."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.philox import Counters, uniform_row, uniform_torch
from algorithms.kernels.quantile import level_of, room_to_take, take
from algorithms.kernels.selection import largest_torch


@njit(cache=True, nogil=True)
def _lots(k0, k1, replicas, workers, u, keys, k, out):  # type: ignore[no-untyped-def]
    """Numbers at least 0 are in the order of their bits, ``keys``, which share u's memory."""
    room, guess = room_to_take(u.shape[0]), np.int64(0)
    for i in range(out.shape[0]):
        uniform_row(k0, k1, replicas[i], workers[i], u)
        level, reached = level_of(keys, k, guess)
        guess = np.int64(level)
        take(keys, level, reached, k, room, out[i])


@njit(cache=True, nogil=True)
def _lost(values, lots, size):  # type: ignore[no-untyped-def]
    for i in range(values.shape[0]):
        for e in range(lots.shape[1]):
            start = lots[i, e] * size
            values[i, start : start + size] = 0


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
    u = np.empty(d)
    _lots(*ids, u, u.view(np.int64), k, out.numpy())
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
