"""From masks to lists of places and back, a pass each."""

from __future__ import annotations

import numba
import torch
from torch import Tensor


@numba.njit(cache=True, nogil=True)
def _places(mask, count, out):  # type: ignore[no-untyped-def]
    rows, d = mask.shape
    for i in range(rows):
        filled = 0
        for j in range(d):
            out[i, filled] = j
            filled += mask[i, j]
        for j in range(filled, out.shape[1]):
            out[i, j] = 0
        count[i] = filled


@numba.njit(cache=True, nogil=True)
def _spread(count, places, values, out):  # type: ignore[no-untyped-def]
    for i in range(out.shape[0]):
        for e in range(count[i]):
            j = places[i, e]
            if j >= out.shape[1]:
                return j
            out[i, j] += values[i, e]
    return -1


def places_torch(mask: Tensor) -> tuple[Tensor, Tensor]:
    """The twin of :func:`places`, equal."""
    d = mask.shape[-1]
    slots = torch.where(mask, mask.cumsum(-1) - 1, d)
    out = torch.zeros((mask.shape[0], d + 1), dtype=torch.int64, device=mask.device)
    out.scatter_(-1, slots, torch.arange(d, device=mask.device).expand(mask.shape))
    return mask.sum(-1), out[:, :d].contiguous()


def places(mask: Tensor) -> tuple[Tensor, Tensor]:
    """How many of masks ``[P, d]`` are set ``[P]``, and where ``[P, d]``, ascending, then zeros."""
    if mask.is_cuda:
        return places_torch(mask)
    out = torch.empty((mask.shape[0], mask.shape[1] + 1), dtype=torch.int64)
    count = torch.empty(mask.shape[0], dtype=torch.int64)
    _places(mask.contiguous().numpy(), count.numpy(), out.numpy())
    return count, out[:, :-1].contiguous()


def spread_torch(count: Tensor, where: Tensor, values: Tensor, out: Tensor) -> Tensor:
    """The twin of :func:`spread_onto`, equal."""
    meant = torch.arange(where.shape[-1], device=where.device) < count[:, None]
    return out.scatter_add_(-1, where, torch.where(meant, values, torch.zeros_like(values)))


def spread_onto(count: Tensor, where: Tensor, values: Tensor, out: Tensor) -> Tensor:
    """``out`` ``[P, d]`` with the first ``count`` of ``values`` ``[P, cap]`` added at places.

    Raises:
        ValueError: a place lies outside [0, d).
    """
    if out.is_cuda:
        return spread_torch(count, where, values, out)
    counts, places_of, held = (part.contiguous().numpy() for part in (count, where, values))
    wrong = _spread(counts, places_of, held, out.numpy())
    if wrong >= 0:
        raise ValueError(f"places must lie in [0, d), got {wrong} with d={out.shape[-1]}")
    return out
