"""Levels v of drop-out probabilities min(1, |x_j| / v), in double precision.

The kernels sort nothing: they go down from a level that is too high, a pass over the row for each
step, until it falls no more; a handful of steps. The twins sort.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.simd_sums import LANES, summing


@njit(nogil=True, forceinline=True)
def _less(v, level):  # type: ignore[no-untyped-def]
    """Value and 1 if below a level, else zeros."""
    return v if v < level else 0.0, 1.0 if v < level else 0.0


@njit(nogil=True, forceinline=True)
def _at_most(v, level):  # type: ignore[no-untyped-def]
    """Value and square if at most a level, else zeros."""
    held = v if v <= level else 0.0
    return held, held * held


_below, _up_to = summing(_less), summing(_at_most)


@njit(cache=True, nogil=True)
def room_for_level(d):  # type: ignore[no-untyped-def]
    """Work arrays for the levels of rows of d numbers: their magnitudes, and lanes."""
    return np.empty(d), np.empty((2, LANES))


@njit(cache=True, nogil=True)
def level_of_variance(row, scale, epsilon, room):  # type: ignore[no-untyped-def]
    """Newton's steps on sum_j max(0, a_j (v - a_j)) = epsilon ||a||^2, convex in v: from above."""
    a, lanes = room
    for j in range(row.shape[0]):
        a[j] = abs(np.float64(row[j])) * scale
    total, square = _up_to(a, np.inf, lanes)
    noise, level = epsilon * square, 0.0
    if total > 0:
        level = (noise + square) / total
        while True:
            tail, head = _up_to(a, level, lanes)
            if not (tail > 0 and (noise + head) / tail < level):
                break
            level = (noise + head) / tail
    return level


@njit(cache=True, nogil=True)
def _of_variance(rows, scales, epsilon, out):  # type: ignore[no-untyped-def]
    room = room_for_level(rows.shape[1])
    for i in range(rows.shape[0]):
        out[i] = level_of_variance(rows[i], scales[i], epsilon, room)


@njit(cache=True, nogil=True)
def level_of_density(row, scale, wanted, room):  # type: ignore[no-untyped-def]
    """From a level that is too high, down until it falls no more."""
    (a, lanes), d = room, row.shape[0]
    for j in range(d):
        a[j] = abs(np.float64(row[j])) * scale
    level = _below(a, np.inf, lanes)[0] / wanted
    while True:
        rest, small = _below(a, level, lanes)
        left = wanted - (d - small)
        if not (rest > 0 and left > 0 and rest / left < level):
            break
        level = rest / left
    return level


@njit(cache=True, nogil=True)
def _of_density(rows, scales, wanted, out):  # type: ignore[no-untyped-def]
    room = room_for_level(rows.shape[1])
    for i in range(rows.shape[0]):
        out[i] = level_of_density(rows[i], scales[i], wanted, room)


def _numba(kernel, rows: Tensor, scales: Tensor, limit: float) -> Tensor:  # type: ignore[no-untyped-def]
    out = torch.empty(rows.shape[0], dtype=torch.float64)
    kernel(rows.detach().contiguous().numpy(), scales.numpy(), limit, out.numpy())
    return out


def of_variance_torch(rows: Tensor, scales: Tensor, epsilon: float) -> Tensor:
    """The twin of :func:`of_variance`, equal to rounding."""
    a = rows.abs().sort(-1).values.to(torch.float64) * scales[:, None]
    tail, squares = a.cumsum(-1), (a * a).cumsum(-1)
    budget = epsilon * squares[:, -1:] + squares
    place = torch.arange(a.shape[-1], device=a.device)
    last = torch.where(a * tail <= budget, place, 0).amax(-1, keepdim=True)
    total = tail.gather(-1, last)
    return torch.where(total > 0, budget.gather(-1, last) / total, 0)[:, 0]


def of_variance(rows: Tensor, scales: Tensor, epsilon: float) -> Tensor:
    """v ``[P]`` (float64), in units of 1 / ``scales`` ``[P]`` (float64), of Wangni's Algorithm 2.

    Of the magnitudes of ``rows`` ``[P, d]``, in rising order: the longest head of a with a_j sum a
    <= epsilon ||a||^2 + sum a^2, sums over the head to j, has v = (epsilon ||a||^2 + sum a^2) / sum
    a.
    """
    if by_torch(rows):
        return of_variance_torch(rows, scales, epsilon)
    return _numba(_of_variance, rows, scales, epsilon)


def of_density_torch(rows: Tensor, scales: Tensor, wanted: float) -> Tensor:
    """The twin of :func:`of_density`, equal to rounding."""
    a = rows.abs().sort(-1).values.to(torch.float64) * scales[:, None]
    d = rows.shape[-1]
    rest = torch.nn.functional.pad(a.cumsum(-1), (1, 0))  # of the smallest 0, ..., d
    room = wanted - torch.arange(d, -1, -1, dtype=torch.float64, device=a.device)
    # as more of the largest are sent for sure, levels fall to the one that is sought, then rise
    level = torch.where((rest > 0) & (room > 0), rest / room, rest[:, -1:] / wanted)
    return level.amin(-1)


def of_density(rows: Tensor, scales: Tensor, wanted: float) -> Tensor:
    """v ``[P]`` (float64), in units of 1 / ``scales`` ``[P]``, with sum_j min(1, a_j / v) =
    ``wanted``, of the magnitudes of rows ``[P, d]`` (Wangni's Algorithm 3)."""
    if by_torch(rows):
        return of_density_torch(rows, scales, wanted)
    return _numba(_of_density, rows, scales, wanted)
