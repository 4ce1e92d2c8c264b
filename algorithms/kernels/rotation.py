"""Random signs before a Walsh-Hadamard transform, or after it, in one pass over a row."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import njit
from algorithms.kernels.hadamard import transform_row, unit_of
from algorithms.kernels.philox import Counters, block


@njit(cache=True, nogil=True)
def signs_row(k0, k1, replica, worker, out):  # type: ignore[no-untyped-def]
    """1 - 2 b, b the highest bit of each word; ``out`` has a multiple of 4 places."""
    one, two, high = out.dtype.type(1), out.dtype.type(2), np.uint64(31)
    for b in range(out.shape[0] // 4):
        w0, w1, w2, w3 = block(b, worker, replica, 0, k0, k1)
        out[4 * b] = one - two * out.dtype.type(np.int32(w0 >> high))
        out[4 * b + 1] = one - two * out.dtype.type(np.int32(w1 >> high))
        out[4 * b + 2] = one - two * out.dtype.type(np.int32(w2 >> high))
        out[4 * b + 3] = one - two * out.dtype.type(np.int32(w3 >> high))


@njit(cache=True, nogil=True)
def turned_row(row, sign, unit, out):  # type: ignore[no-untyped-def]
    """H D x / sqrt(wide) of one row, filled up with zeros."""
    d = row.shape[0]
    for j in range(d):
        out[j] = row[j] * sign[j]
    out[d:] = 0
    transform_row(out, unit)


@njit(cache=True, nogil=True)
def back_row(row, sign, unit, out):  # type: ignore[no-untyped-def]
    """The first numbers of D H x / sqrt(wide) of one row, which is written over."""
    transform_row(row, unit)
    for j in range(out.shape[0]):
        out[j] = row[j] * sign[j]


@njit(cache=True, nogil=True)
def _turned(x, unit, k0, k1, replicas, workers, out):  # type: ignore[no-untyped-def]
    sign = np.empty((out.shape[1] + 3) // 4 * 4, dtype=x.dtype)
    for i in range(x.shape[0]):
        signs_row(k0, k1, replicas[i], workers[i], sign)
        turned_row(x[i], sign, unit, out[i])


@njit(cache=True, nogil=True)
def _back(x, unit, k0, k1, replicas, workers, row, out):  # type: ignore[no-untyped-def]
    sign = np.empty((x.shape[1] + 3) // 4 * 4, dtype=x.dtype)
    for i in range(x.shape[0]):
        signs_row(k0, k1, replicas[i], workers[i], sign)
        row[:] = x[i]
        back_row(row, sign, unit, out[i])


def turned(x: Tensor, counters: Counters, wide: int) -> Tensor:
    """H D x / sqrt(wide) ``[P, wide]`` of rows ``[P, d]`` filled up with zeros, on a CPU.

    D are random signs of each row, drawn as ``integers(2, wide)``.
    """
    out = torch.empty((len(x), wide), dtype=x.dtype)
    ids = counters.k0, counters.k1, counters.replicas.numpy(), counters.workers.numpy()
    rows = x.detach().contiguous().numpy()
    _turned(rows, unit_of(wide, x.dtype), *ids, out.numpy())
    return out


def turned_back(x: Tensor, counters: Counters, d: int) -> Tensor:
    """The first d of D H x / sqrt(wide) for rows ``[P, wide]``, on a CPU."""
    out = torch.empty((len(x), d), dtype=x.dtype)
    ids = counters.k0, counters.k1, counters.replicas.numpy(), counters.workers.numpy()
    rows = x.detach().contiguous().numpy()
    room = np.empty(x.shape[1], dtype=rows.dtype)
    _back(rows, unit_of(x.shape[1], x.dtype), *ids, room, out.numpy())
    return out
