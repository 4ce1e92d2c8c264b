"""From rows to masks, and from masks to lists of places and values (``compaction``)."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels import entries
from algorithms.kernels.compaction import compact, places_of
from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.counting import counts
from algorithms.kernels.philox import Counters, block, uniform_torch


@njit(cache=True, nogil=True)
def _drop_zeros(mask, x):  # type: ignore[no-untyped-def]
    for i in range(mask.shape[0]):
        for j in range(mask.shape[1]):
            mask[i, j] &= x[i, j] != 0


@njit(cache=True, nogil=True)
def _listed(count, mask, x, places, values):  # type: ignore[no-untyped-def]
    d, cap = mask.shape[1], places.shape[1]
    room = np.empty(d + 1, dtype=places.dtype)
    held = np.empty(d + 1, dtype=x.dtype)
    for i in range(mask.shape[0]):
        if count[i] == d:
            for j in range(d):
                places[i, j], values[i, j] = j, x[i, j]
            continue
        filled = places_of(mask[i], room, places[i])
        compact(mask[i], x[i], held)
        there = values[i, :filled]
        for e in range(filled):
            there[e] = held[e]
        places[i, filled:cap] = 0
        values[i, filled:cap] = 0


@njit(cache=True, nogil=True)
def above_row(row, edge, mask):  # type: ignore[no-untyped-def]
    """Mark the magnitudes of a row ``[d]`` above a double."""
    for j in range(row.shape[0]):
        mask[j] = np.float64(abs(row[j])) > edge


@njit(cache=True, nogil=True)
def _above(x, threshold, out):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        above_row(x[i], threshold[i], out[i])


@njit(cache=True, nogil=True)
def down_to_row(row, edge, end, mask):  # type: ignore[no-untyped-def]
    """Mark the magnitudes of a row ``[d]`` above ``edge``, or equal to it up to place ``end``."""
    for j in range(row.shape[0]):
        mask[j] = (abs(row[j]) > edge) | ((abs(row[j]) == edge) & (j <= end))


@njit(cache=True, nogil=True)
def _down_to(x, threshold, last, out):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        down_to_row(x[i], threshold[i], last[i], out[i])


@njit(cache=True, nogil=True)
def _nonzero(x, out):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        for j in range(x.shape[1]):
            out[i, j] = x[i, j] != 0


@njit(cache=True, nogil=True)
def _negative(x, out):  # type: ignore[no-untyped-def]
    for j in range(x.shape[0]):
        out[j] = x[j] < 0


@njit(cache=True, nogil=True)
def _key(high, low):  # type: ignore[no-untyped-def]
    """The uniform of double precision of two words, as a multiple of 2^-53."""
    return np.int64(((high >> np.uint64(5)) << np.uint64(26)) | (low >> np.uint64(6)))


@njit(cache=True, nogil=True)
def drawn_row(k0, k1, replica, worker, limit, mask):  # type: ignore[no-untyped-def]
    """Mark the double-precision uniforms of one (replica, worker) below ``limit`` 2^-53."""
    d = mask.shape[0]
    for b in range(d // 2):
        w0, w1, w2, w3 = block(b, worker, replica, 0, k0, k1)
        mask[2 * b] = _key(w0, w1) < limit
        mask[2 * b + 1] = _key(w2, w3) < limit
    if d % 2:
        w0, w1, _, _ = block(d // 2, worker, replica, 0, k0, k1)
        mask[d - 1] = _key(w0, w1) < limit


@njit(cache=True, nogil=True)
def _drawn(k0, k1, replicas, workers, limit, out):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        drawn_row(k0, k1, replicas[i], workers[i], limit, out[i])


def listed_torch(mask: Tensor, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """The twin of :func:`listed`, equal."""
    count, places = entries.places(mask.to(torch.bool))
    return count, places, entries.pick(count, places, x)


def listed(mask: Tensor, x: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Counts ``[P]`` of masks ``[P, d]``, places ``[P, cap]`` set, ascending, and what rows
    ``[P, d]`` hold there; zeros in the slots that are not meant.

    ``cap`` is the largest count, 1 at least.
    """
    if by_torch(x):
        return listed_torch(mask, x)
    marks = mask.contiguous().view(torch.uint8).numpy()
    count = counts(mask)
    places = entries.room(count, mask.shape[-1])
    values = torch.empty(places.shape, dtype=x.dtype)
    _listed(count.numpy(), marks, x.detach().contiguous().numpy(), places.numpy(), values.numpy())
    return count, places, values


def drop_zeros(mask: Tensor, x: Tensor) -> Tensor:
    """``mask & (x != 0)`` of rows ``[..., m, d]``, written over the mask where it can be."""
    if by_torch(x) or not mask.is_contiguous() or mask.shape != x.shape:
        return mask & (x != 0)
    rows = x.detach().reshape(-1, x.shape[-1]).contiguous()
    _drop_zeros(mask.view(rows.shape).numpy(), rows.numpy())
    return mask


def above(x: Tensor, threshold: Tensor) -> Tensor:
    """Mask ``[..., m, d]`` of the magnitudes above ``threshold`` ``[..., m, 1]`` (float64)."""
    if by_torch(x):
        return x.abs().to(torch.float64) > threshold
    out = torch.empty(x.shape, dtype=torch.bool)
    rows = x.detach().reshape(-1, x.shape[-1]).contiguous().numpy()
    edges = threshold.expand(*x.shape[:-1], 1).reshape(-1).contiguous().numpy()
    _above(rows, edges, out.view(-1, x.shape[-1]).numpy())
    return out


def down_to_torch(x: Tensor, threshold: Tensor, last: Tensor) -> Tensor:
    """The twin of :func:`down_to`, equal."""
    size, place = x.abs(), torch.arange(x.shape[-1], device=x.device)
    return (size > threshold) | ((size == threshold) & (place <= last))


def down_to(x: Tensor, threshold: Tensor, last: Tensor) -> Tensor:
    """Mask ``[P, d]`` of the magnitudes above ``threshold`` ``[P, 1]``, and of those equal to it up
    to the place ``last`` ``[P, 1]`` (int64)."""
    if by_torch(x):
        return down_to_torch(x, threshold, last)
    out = torch.empty(x.shape, dtype=torch.bool)
    edges = threshold.reshape(-1).contiguous(), last.reshape(-1).contiguous()
    _down_to(x.detach().contiguous().numpy(), *(edge.numpy() for edge in edges), out.numpy())
    return out


def nonzero(x: Tensor) -> Tensor:
    """``x != 0`` of rows ``[..., m, d]``."""
    if by_torch(x):
        return x != 0
    out = torch.empty(x.shape, dtype=torch.bool)
    rows = x.detach().reshape(-1, x.shape[-1]).contiguous().numpy()
    _nonzero(rows, out.view(-1, x.shape[-1]).numpy())
    return out


def negative(x: Tensor) -> Tensor:
    """1 where x ``[...]`` is below zero, else 0 (uint8)."""
    if by_torch(x):
        return (x < 0).to(torch.uint8)
    out = torch.empty(x.shape, dtype=torch.uint8)
    _negative(x.detach().reshape(-1).contiguous().numpy(), out.view(-1).numpy())
    return out


def drawn_torch(counters: Counters, p: float, d: int) -> Tensor:
    """The twin of :func:`drawn`, equal."""
    return uniform_torch(*counters, d, torch.float64) < p


def drawn_limit(p: float) -> int:
    """The least multiple of 2^-53 that is no longer below p, as what it is a multiple by."""
    return math.ceil(p * 2.0**53)


def drawn(counters: Counters, p: float, d: int) -> Tensor:
    """Mask ``[P, d]``: which of the uniforms of double precision of rows lie below p in [0, 1]."""
    if by_torch(counters.workers):
        return drawn_torch(counters, p, d)
    out = torch.empty((counters.workers.numel(), d), dtype=torch.bool)
    ids = counters.replicas.numpy(), counters.workers.numpy()
    _drawn(counters.k0, counters.k1, *ids, drawn_limit(p), out.numpy())
    return out
