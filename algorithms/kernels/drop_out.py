"""Levels v of drop-out probabilities min(1, |x_j| / v), from magnitudes in rising order.

The kernels read a row from end to end, in double precision, and hold nothing; the twins hold some
rows of doubles.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit


@njit(cache=True, nogil=True)
def _of_variance(rows, scales, epsilon, out):  # type: ignore[no-untyped-def]
    for i in range(rows.shape[0]):
        total = 0.0
        for j in range(rows.shape[1]):
            a = np.float64(rows[i, j]) * scales[i]
            total += a * a
        tail, squares, last, budget = 0.0, 0.0, 0.0, 0.0
        for j in range(rows.shape[1]):
            a = np.float64(rows[i, j]) * scales[i]
            tail += a
            squares += a * a
            if j == 0 or a * tail <= epsilon * total + squares:
                last, budget = tail, epsilon * total + squares
        out[i] = budget / last if last > 0 else 0.0


@njit(cache=True, nogil=True)
def _of_density(rows, scales, wanted, out):  # type: ignore[no-untyped-def]
    d = rows.shape[1]
    for i in range(rows.shape[0]):
        level = np.inf
        while True:
            rest, small = 0.0, 0
            while small < d:
                a = np.float64(rows[i, small]) * scales[i]
                if a >= level:
                    break
                rest += a
                small += 1
            room = wanted - (d - small)
            if level == np.inf:
                level = rest / wanted
            elif rest > 0 and room > 0 and rest / room < level:
                level = rest / room
            else:
                break
        out[i] = level


def _numba(kernel, rows: Tensor, scales: Tensor, limit: float) -> Tensor:  # type: ignore[no-untyped-def]
    out = torch.empty(rows.shape[0], dtype=torch.float64)
    kernel(rows.contiguous().numpy(), scales.numpy(), limit, out.numpy())
    return out


def of_variance_torch(rows: Tensor, scales: Tensor, epsilon: float) -> Tensor:
    """The twin of :func:`of_variance`, equal to rounding."""
    a = rows.to(torch.float64) * scales[:, None]
    tail, squares = a.cumsum(-1), (a * a).cumsum(-1)
    budget = epsilon * squares[:, -1:] + squares
    place = torch.arange(a.shape[-1], device=a.device)
    last = torch.where(a * tail <= budget, place, 0).amax(-1, keepdim=True)
    total = tail.gather(-1, last)
    return torch.where(total > 0, budget.gather(-1, last) / total, 0)[:, 0]


def of_variance(rows: Tensor, scales: Tensor, epsilon: float) -> Tensor:
    """v ``[P]`` (float64), in units of 1 / ``scales`` ``[P]`` (float64), of Wangni's Algorithm 2.

    Of magnitudes ``rows`` ``[P, d]`` that rise: the longest head of a with a_j sum a <= epsilon
    ||a||^2 + sum a^2, sums over the head to j, has v = (epsilon ||a||^2 + sum a^2) / sum a.
    """
    if by_torch(rows):
        return of_variance_torch(rows, scales, epsilon)
    return _numba(_of_variance, rows, scales, epsilon)


def of_density_torch(rows: Tensor, scales: Tensor, wanted: float) -> Tensor:
    """The twin of :func:`of_density`, equal to rounding."""
    a, d = rows.to(torch.float64) * scales[:, None], rows.shape[-1]
    rest = torch.nn.functional.pad(a.cumsum(-1), (1, 0))  # of the smallest 0, ..., d
    room = wanted - torch.arange(d, -1, -1, dtype=torch.float64, device=a.device)
    # as more of the largest are sent for sure, levels fall to the one that is sought, then rise
    level = torch.where((rest > 0) & (room > 0), rest / room, rest[:, -1:] / wanted)
    return level.amin(-1)


def of_density(rows: Tensor, scales: Tensor, wanted: float) -> Tensor:
    """v ``[P]`` (float64), in units of 1 / ``scales`` ``[P]``, with sum_j min(1, a_j / v) =
    ``wanted``, of magnitudes ``[P, d]`` that rise (Wangni's Algorithm 3)."""
    if by_torch(rows):
        return of_density_torch(rows, scales, wanted)
    return _numba(_of_density, rows, scales, wanted)
