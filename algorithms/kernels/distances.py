"""Distances from one place of a list to the next, and back."""

from __future__ import annotations

import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit


@njit(cache=True, nogil=True)
def _between(count, places, out):  # type: ignore[no-untyped-def]
    for i in range(places.shape[0]):
        row, there, n = places[i], out[i], count[i]
        if n > 0:
            there[0] = row[0] + 1
        for e in range(1, n):
            there[e] = row[e] - row[e - 1]
        there[n:] = 0


@njit(cache=True, nogil=True)
def _summed(count, distances, out):  # type: ignore[no-untyped-def]
    for i in range(distances.shape[0]):
        row, there, n = distances[i], out[i], count[i]
        place = out.dtype.type(-1)
        for e in range(n):
            place = out.dtype.type(place + row[e])
            there[e] = place
        there[n:] = 0


def _meant(count: Tensor, cap: int) -> Tensor:
    return torch.arange(cap, device=count.device) < count


def between_torch(count: Tensor, places: Tensor) -> Tensor:
    """The twin of :func:`between`, equal."""
    before = torch.nn.functional.pad(places[..., :-1], (1, 0), value=-1)
    return torch.where(_meant(count, places.shape[-1]), places - before, 0)


def between(count: Tensor, places: Tensor) -> Tensor:
    """Distances ``[..., m, cap]`` of the first ``count`` ``[..., m, 1]`` of rising places
    ``[..., m, cap]``, the first from -1 on; zeros behind."""
    if by_torch(places):
        return between_torch(count, places)
    return _run(_between, count, places)


def summed_torch(count: Tensor, distances: Tensor) -> Tensor:
    """The twin of :func:`summed`, equal."""
    ends = distances.cumsum(-1, dtype=distances.dtype)
    return torch.where(_meant(count, distances.shape[-1]), ends - 1, 0)


def summed(count: Tensor, distances: Tensor) -> Tensor:
    """The places ``[..., m, cap]`` of :func:`between`'s distances."""
    if by_torch(distances):
        return summed_torch(count, distances)
    return _run(_summed, count, distances)


def _run(kernel, count: Tensor, lists: Tensor) -> Tensor:  # type: ignore[no-untyped-def]
    cap = lists.shape[-1]
    out = torch.empty(lists.shape, dtype=lists.dtype)
    some = count.expand(*lists.shape[:-1], 1).reshape(-1).clamp(0, cap)
    kernel(some.numpy(), lists.reshape(-1, cap).contiguous().numpy(), out.view(-1, cap).numpy())
    return out
