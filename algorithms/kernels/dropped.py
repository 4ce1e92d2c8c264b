"""Drop-out by a level: what is sent by value, what stays as the level, and what is dropped."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels import entries
from algorithms.kernels.compaction import compact, places_of
from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.philox import Counters, uniform_row, uniform_torch

LARGE, SMALL = 1, 2
"""Marks of what is at least the level, and of what is smaller and stays."""

Lists = tuple[Tensor, Tensor, Tensor]
"""Counts ``[P]``, places ``[P, cap]``, and what is held there ``[P, cap]``."""


@njit(cache=True, nogil=True, error_model="numpy")
def marks_row(row, edge, u, mark):  # type: ignore[no-untyped-def]
    """Marks of a row ``[d]`` by its level and its uniforms; how many are LARGE and SMALL."""
    wide = np.float64(edge)
    large = small = np.int32(0)
    for j in range(row.shape[0]):
        size = abs(row[j])
        big = np.int32(size >= edge) & np.int32(size != 0)
        kept = np.int32(u[j] < np.float64(size) / wide) & np.int32(size < edge)
        large, small = np.int32(large + big), np.int32(small + kept)
        mark[j] = np.uint8(big + 2 * kept)
    return large, small


@njit(cache=True, nogil=True)
def _marks(x, level, k0, k1, replicas, workers, marks, counts):  # type: ignore[no-untyped-def]
    u = np.empty(x.shape[1])
    for i in range(x.shape[0]):
        uniform_row(k0, k1, replicas[i], workers[i], u)
        counts[0, i], counts[1, i] = marks_row(x[i], level[i], u, marks[i])


@njit(cache=True, nogil=True)
def _parted(x, marks, counts, places, values, others, signs):  # type: ignore[no-untyped-def]
    d = x.shape[1]
    room, mask = np.empty(d + 1, dtype=places.dtype), np.empty(d, dtype=np.uint8)
    held = np.empty(d + 1, dtype=x.dtype)
    for i in range(x.shape[0]):
        mark, large, small = marks[i], counts[0, i], counts[1, i]
        if large > 0:
            for j in range(d):
                mask[j] = mark[j] & 1
            places_of(mask, room, places[i])
            compact(mask, x[i], held)
            values[i, :large] = held[:large]
        if small > 0:
            for j in range(d):
                mask[j] = mark[j] >> 1
            places_of(mask, room, others[i])
            compact(mask, x[i], held)
            sign = signs[i]
            for e in range(small):
                sign[e] = held[e] < 0
        places[i, large:], values[i, large:] = 0, 0
        others[i, small:], signs[i, small:] = 0, 0


@njit(cache=True, nogil=True, error_model="numpy")
def taken_row(row, middle, edge, u, mask):  # type: ignore[no-untyped-def]
    """Mark entries of a row to send, each with chance min(1, |x_j - middle| / edge)."""
    for j in range(row.shape[0]):
        off = np.float64(abs(row[j] - middle))
        mask[j] = (off > 0) & (u[j] < min(off / edge, 1.0))


@njit(cache=True, nogil=True)
def _taken(x, centre, level, k0, k1, replicas, workers, out):  # type: ignore[no-untyped-def]
    u = np.empty(x.shape[1])
    for i in range(x.shape[0]):
        uniform_row(k0, k1, replicas[i], workers[i], u)
        taken_row(x[i], centre[i], level[i], u, out[i])


@njit(cache=True, nogil=True, error_model="numpy")
def recentred_row(values, middle, edge, share):  # type: ignore[no-untyped-def]
    """middle + (v - middle) / p of values, in place; p is ``share``, or if that is 0 min(1, |v -
    middle| / edge)."""
    for e in range(values.shape[0]):
        off = values[e] - middle
        p = share if share > 0 else min(np.float64(abs(off)) / edge, 1.0)
        if p > 0:
            values[e] = np.float64(middle) + np.float64(off) / max(p, 1e-300)


@njit(cache=True, nogil=True)
def _recentred(count, values, centre, level, share):  # type: ignore[no-untyped-def]
    for i in range(values.shape[0]):
        recentred_row(values[i, : count[i]], centre[i], level[i], share)


@njit(cache=True, nogil=True)
def _around(count, places, values, centre, out):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        out[i, :] = centre[i]
        for e in range(count[i]):
            j = places[i, e]
            if not 0 <= j < out.shape[1]:
                return j
            out[i, j] = values[i, e]
    return -1


def recentred_torch(
    count: Tensor, values: Tensor, centre: Tensor, level: Tensor, share: float
) -> Tensor:
    """The twin of :func:`recentred`, equal."""
    off = (values - centre).abs().to(torch.float64)
    chance = (off / level).clamp_max(1)
    p = torch.full_like(off, share) if share > 0 else torch.where(off > 0, chance, 0)
    outer = torch.where(p > 0, centre + (values - centre) / p.clamp_min(1e-300), values)
    meant = torch.arange(values.shape[-1], device=values.device) < count
    return torch.where(meant, outer.to(values.dtype), 0)


def recentred(count: Tensor, values: Tensor, centre: Tensor, level: Tensor, share: float) -> Tensor:
    """centre + (v - centre) / p of the first ``count`` ``[P, 1]`` of values ``[P, cap]``, which are
    written over where they can be; the others are 0. p is ``share``, or if that is 0 min(1, |v -
    centre| / level)."""
    if by_torch(values) or not values.is_contiguous():
        return recentred_torch(count, values, centre, level, share)
    lines = (v.reshape(-1).contiguous().numpy() for v in (centre, level))
    _recentred(count.reshape(-1).contiguous().numpy(), values.numpy(), *lines, share)
    return values


def around_torch(count: Tensor, places: Tensor, values: Tensor, centre: Tensor, d: int) -> Tensor:
    """The twin of :func:`around`, equal."""
    rows = values.new_zeros((len(values), d))
    named = torch.zeros(rows.shape, dtype=torch.uint8, device=rows.device)
    entries.spread_onto(count[:, 0], places, torch.ones_like(values, dtype=torch.uint8), named)
    entries.spread_onto(count[:, 0], places, values, rows)
    return torch.where(named == 1, rows, centre)


def around(count: Tensor, places: Tensor, values: Tensor, centre: Tensor, d: int) -> Tensor:
    """Rows ``[P, d]`` of the ``centre`` ``[P, 1]`` with the first ``count`` ``[P, 1]`` of values
    ``[P, cap]`` at their places.

    Raises:
        ValueError: a place lies outside [0, d).
    """
    if by_torch(values):
        return around_torch(count, places, values, centre, d)
    out = torch.empty((len(values), d), dtype=values.dtype)
    parts = (v.contiguous().numpy() for v in (count[:, 0], places, values, centre[:, 0]))
    wrong = _around(*parts, out.numpy())
    if wrong >= 0:
        raise ValueError(f"places must lie in [0, d), got {wrong} with d={d}")
    return out


def taken_torch(x: Tensor, centre: Tensor, level: Tensor, counters: Counters) -> Tensor:
    """The twin of :func:`taken`, equal."""
    off = (x - centre).abs().to(torch.float64)
    p = torch.where(off > 0, (off / level).clamp_max(1), 0)
    return uniform_torch(*counters, x.shape[-1], torch.float64) < p


def taken(x: Tensor, centre: Tensor, level: Tensor, counters: Counters) -> Tensor:
    """Mask of rows ``[P, d]``: each coordinate with chance min(1, |x_j - centre| / level), by one
    uniform of double precision; ``level`` ``[P, 1]`` (float64)."""
    if by_torch(x):
        return taken_torch(x, centre, level, counters)
    out = torch.empty(x.shape, dtype=torch.bool)
    ids = counters.k0, counters.k1, counters.replicas.numpy(), counters.workers.numpy()
    edges = (v.reshape(-1).contiguous().numpy() for v in (centre, level))
    _taken(x.detach().contiguous().numpy(), *edges, *ids, out.numpy())
    return out


def dropped_torch(x: Tensor, level: Tensor, counters: Counters) -> tuple[Lists, Lists]:
    """The twin of :func:`dropped`, equal."""
    size, u = x.abs(), uniform_torch(*counters, x.shape[-1], torch.float64)
    p = torch.where(size >= level, 0, size.to(torch.float64) / level.to(torch.float64))
    return parted_torch(x, (size >= level) & (x != 0), u < p)


def parted_torch(x: Tensor, large: Tensor, small: Tensor) -> tuple[Lists, Lists]:
    """The two lists of masks ``[P, d]``: values of the first, signs of the second."""
    (many, places), (few, others) = entries.places(large), entries.places(small)
    signs = (entries.pick(few, others, x) < 0).to(torch.uint8)
    return (many, places, entries.pick(many, places, x)), (few, others, signs)


def dropped(x: Tensor, level: Tensor, counters: Counters) -> tuple[Lists, Lists]:
    """Of rows ``[P, d]`` what is at least the ``level`` ``[P, 1]`` and not 0, with its value, and
    of the rest what stays, with its sign: each with chance |x_j| / level, by one uniform of double
    precision a coordinate."""
    if by_torch(x):
        return dropped_torch(x, level, counters)
    rows = x.detach().contiguous()
    marks, count = (
        torch.empty(x.shape, dtype=torch.uint8),
        torch.empty((2, len(x)), dtype=torch.int64),
    )
    ids = counters.k0, counters.k1, counters.replicas.numpy(), counters.workers.numpy()
    edges = level.reshape(-1).contiguous().numpy()
    _marks(rows.numpy(), edges, *ids, marks.numpy(), count.numpy())
    places, others = (entries.room(one, x.shape[-1]) for one in count)
    values = torch.empty(places.shape, dtype=x.dtype)
    signs = torch.empty(others.shape, dtype=torch.uint8)
    lists = (part.numpy() for part in (places, values, others, signs))
    _parted(rows.numpy(), marks.numpy(), count.numpy(), *lists)
    return (count[0], places, values), (count[1], others, signs)
