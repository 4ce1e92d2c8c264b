"""From masks to lists of places and back, a pass each."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compaction import places_of
from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.counting import counts
from algorithms.kernels.deferred_checks import now


@njit(cache=True, nogil=True)
def _places(mask, out):  # type: ignore[no-untyped-def]
    room = np.empty(mask.shape[1] + 1, dtype=out.dtype)
    for i in range(mask.shape[0]):
        filled = places_of(mask[i], room, out[i])
        out[i, filled:] = 0


@njit(cache=True, nogil=True)
def _pick(count, places, rows, out):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        for e in range(count[i]):
            out[i, e] = rows[i, places[i, e]]


@njit(cache=True, nogil=True)
def _spread(count, places, values, out):  # type: ignore[no-untyped-def]
    d = out.shape[1]
    for i in range(out.shape[0]):
        n = count[i]
        row, here, held = out[i], places[i, :n], values[i, :n]
        least, most = np.int64(0), np.int64(0)
        for e in range(n):
            least, most = min(least, np.int64(here[e])), max(most, np.int64(here[e]))
        if least < -d or most >= d:
            return False, least if least < -d else most
        if least < 0:  # from the end, as everywhere; unsigned it would lie outside the row
            for e in range(n):
                row[here[e]] += held[e]
            continue
        for e in range(n):
            row[np.uint64(here[e])] += held[e]
    return True, np.int64(0)


def place_type(d: int) -> torch.dtype:
    """Integer type of places in [0, d)."""
    return torch.int32 if d < 1 << 31 else torch.int64


def room(count: Tensor, d: int) -> Tensor:
    """Room ``[P, cap]`` for the places of so many entries ``[P]``, not written yet."""
    cap = max(1, int(count.max())) if count.numel() else 1
    return torch.empty((count.shape[0], cap), dtype=place_type(d), device=count.device)


def blank(count: Tensor, d: int) -> Tensor:
    """Zeros ``[P, cap]`` for the places of so many entries ``[P]``."""
    return room(count, d).zero_()


def places_torch(mask: Tensor, most: int | None = None) -> tuple[Tensor, Tensor]:
    """The twin of :func:`places`, equal; where checks are late ``cap`` is ``most``, or d, so that
    the host need not wait for the counts."""
    count = mask.sum(-1)
    if now() is not None:
        return count, _places_in_full(mask)[:, :most]
    out = blank(count, mask.shape[-1])
    row, place = mask.nonzero(as_tuple=True)
    slot = (mask.cumsum(-1) - 1)[row, place]
    out[row, slot] = place.to(out.dtype)
    return count, out


def _places_in_full(mask: Tensor) -> Tensor:
    """Places ``[P, d]`` of what masks ``[P, d]`` set, ascending, then zeros."""
    d = mask.shape[-1]
    out = torch.zeros((mask.shape[0], d + 1), dtype=place_type(d), device=mask.device)
    slot = torch.where(mask, mask.cumsum(-1) - 1, d)  # what is not set goes to a column of its own
    out.scatter_(-1, slot, torch.arange(d, dtype=out.dtype, device=out.device).expand_as(mask))
    return out[:, :d]


def places(mask: Tensor, most: int | None = None) -> tuple[Tensor, Tensor]:
    """Counts ``[P]`` of masks ``[P, d]`` and places ``[P, cap]`` set, ascending, then zeros.

    ``cap`` is the largest count, 1 at least; on a device, where checks are late, what is known of
    it before: ``most``, or d.
    """
    if by_torch(mask):
        return places_torch(mask, most)
    count = counts(mask)
    out = room(count, mask.shape[-1])
    _places(mask.contiguous().view(torch.uint8).numpy(), out.numpy())
    return count, out


def pick_torch(count: Tensor, where: Tensor, rows: Tensor) -> Tensor:
    """The twin of :func:`pick`, equal."""
    meant = torch.arange(where.shape[-1], device=where.device) < count[:, None]
    return torch.where(meant, rows.gather(-1, where.to(torch.int64)), 0)


def pick(count: Tensor, where: Tensor, rows: Tensor) -> Tensor:
    """Values of ``rows`` ``[P, d]`` at the first ``count`` of the places ``[P, cap]``; else 0."""
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
    good, wrong = _spread(counts, places_of, held, out.numpy())
    if not good:
        raise ValueError(f"places must lie in [0, d), got {wrong} with d={out.shape[-1]}")
    return out
