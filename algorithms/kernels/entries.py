"""From masks to lists of places and back, a pass each."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.counting import counts


@njit(cache=True, nogil=True)
def _places(mask, out):  # type: ignore[no-untyped-def]
    rows, d = mask.shape
    found = np.empty(d + 1, dtype=out.dtype)
    for i in range(rows):
        filled = np.int64(0)
        for j in range(d):
            found[filled] = j
            filled += np.int64(mask[i, j])
        out[i, :filled] = found[:filled]


@njit(cache=True, nogil=True)
def _pick(count, places, rows, out):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        for e in range(count[i]):
            out[i, e] = rows[i, places[i, e]]


@njit(cache=True, nogil=True)
def _spread(count, places, values, out):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        for e in range(count[i]):
            j = places[i, e]
            if j >= out.shape[1]:
                return j
            out[i, j] += values[i, e]
    return -1


def place_type(d: int) -> torch.dtype:
    """What places in [0, d) are kept in."""
    return torch.int32 if d < 1 << 31 else torch.int64


def blank(count: Tensor, d: int) -> Tensor:
    """Zeros ``[P, cap]`` for the places of so many entries ``[P]``."""
    cap = max(1, int(count.max())) if count.numel() else 1
    return torch.zeros((count.shape[0], cap), dtype=place_type(d), device=count.device)


def places_torch(mask: Tensor) -> tuple[Tensor, Tensor]:
    """The twin of :func:`places`, equal."""
    count = mask.sum(-1)
    out = blank(count, mask.shape[-1])
    row, place = mask.nonzero(as_tuple=True)
    slot = (mask.cumsum(-1) - 1)[row, place]
    out[row, slot] = place.to(out.dtype)
    return count, out


def places(mask: Tensor) -> tuple[Tensor, Tensor]:
    """How many of masks ``[P, d]`` are set ``[P]``, and where ``[P, cap]``, ascending, then zeros.

    ``cap`` is the largest count, 1 at least.
    """
    if by_torch(mask):
        return places_torch(mask)
    count = counts(mask)
    out = blank(count, mask.shape[-1])
    _places(mask.contiguous().numpy(), out.numpy())
    return count, out


def pick_torch(count: Tensor, where: Tensor, rows: Tensor) -> Tensor:
    """The twin of :func:`pick`, equal."""
    meant = torch.arange(where.shape[-1], device=where.device) < count[:, None]
    return torch.where(meant, rows.gather(-1, where.to(torch.int64)), 0)


def pick(count: Tensor, where: Tensor, rows: Tensor) -> Tensor:
    """What ``rows`` ``[P, d]`` hold at the first ``count`` of the places ``[P, cap]``; else 0."""
    if by_torch(rows):
        return pick_torch(count, where, rows)
    out = torch.zeros(where.shape, dtype=rows.dtype)
    counts, places_of, held = (part.contiguous().numpy() for part in (count, where, rows))
    _pick(counts, places_of, held, out.numpy())
    return out


def spread_torch(count: Tensor, where: Tensor, values: Tensor, out: Tensor) -> Tensor:
    """The twin of :func:`spread_onto`, equal."""
    cap = min(where.shape[-1], values.shape[-1])
    where, values = where[:, :cap].to(torch.int64), values[:, :cap]
    meant = torch.arange(cap, device=where.device) < count[:, None]
    return out.scatter_add_(-1, where, torch.where(meant, values, torch.zeros_like(values)))


def spread_onto(count: Tensor, where: Tensor, values: Tensor, out: Tensor) -> Tensor:
    """``out`` ``[P, d]`` with the first ``count`` of ``values`` ``[P, cap]`` added at places.

    Raises:
        ValueError: a place lies outside [0, d).
    """
    if by_torch(out):
        return spread_torch(count, where, values, out)
    counts, places_of, held = (part.contiguous().numpy() for part in (count, where, values))
    wrong = _spread(counts, places_of, held, out.numpy())
    if wrong >= 0:
        raise ValueError(f"places must lie in [0, d), got {wrong} with d={out.shape[-1]}")
    return out
