"""Gossip over lists of neighbours: sum_s weight[i, s] x[index[i, s]] in the order of the slots.

Kernel and twin round once for each product and once for each sum, in the same order (no fused
multiply-add, no reassociation), so they agree bit for bit, whatever rows are held.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.devices import put

_BLOCK = 1024  # columns handled at a time, so that neighbouring rows are still in cache


# Rows are named by their numbers: a view of each would be counted in and out, with a locked
# addition each time, which takes longer than the arithmetic of fifty coordinates.
@njit(cache=True, nogil=True)
def mix_into(x, index, weight, slots, i, out, o, start, stop):  # type: ignore[no-untyped-def]
    """Columns start, ..., stop - 1 (unsigned: they are never counted from the end) of the mixed row
    of listener i, of its first ``slots`` slots, into row o of out."""
    a, u = index[i, 0], weight[i, 0]
    if slots < 3:
        for j in range(start, stop):
            out[o, j] = u * x[a, j]
        s = 1
    else:  # more slots in one pass: the same roundings in the same order, fewer passes
        b, v, c, w = index[i, 1], weight[i, 1], index[i, 2], weight[i, 2]
        for j in range(start, stop):
            out[o, j] = (u * x[a, j] + v * x[b, j]) + w * x[c, j]
        s = 3
    while s + 1 < slots:
        b, v, c, w = index[i, s], weight[i, s], index[i, s + 1], weight[i, s + 1]
        for j in range(start, stop):
            out[o, j] = (out[o, j] + v * x[b, j]) + w * x[c, j]
        s += 2
    if s < slots:
        b, v = index[i, s], weight[i, s]
        for j in range(start, stop):
            out[o, j] += v * x[b, j]


@njit(cache=True, nogil=True)
def mix_block(x, index, weight, slots, first, out):  # type: ignore[no-untyped-def]
    """Mixed rows of listeners first, first + 1, ... into out ``[k, d]``; x ``[n, d]``, lists
    ``[n, s]``."""
    for start in range(0, out.shape[1], _BLOCK):
        stop = min(start + _BLOCK, out.shape[1])
        for i in range(out.shape[0]):
            mix_into(x, index, weight, slots, first + i, out, i, np.uint64(start), np.uint64(stop))


@njit(cache=True, nogil=True)
def mix_rows(x, index, weight, out):  # type: ignore[no-untyped-def]
    """:func:`mix` of arrays ``[R, k, d]``; False where an index is out of range."""
    for i in index.flat:
        if i < 0 or i >= x.shape[1]:
            return False
    for r in range(x.shape[0]):
        mix_block(x[r], index, weight, index.shape[1], 0, out[r])
    return True


def mix_torch(x_all: Tensor, index: Tensor, weight: Tensor) -> Tensor:
    """The twin of :func:`mix` in torch operations, on any device."""
    index, weight = put(index, x_all.device), put(weight, x_all.device).to(x_all.dtype)
    acc = weight[:, 0, None] * x_all[..., index[:, 0], :]
    for s in range(1, index.shape[1]):
        acc = acc + weight[:, s, None] * x_all[..., index[:, s], :]
    return acc


def mix(x_all: Tensor, index: Tensor, weight: Tensor, out: Tensor | None = None) -> Tensor:
    """Mixed rows ``[..., m, d]`` of ``x_all`` ``[..., k, d]``; weights are rounded to its dtype.

    ``index`` (int64) and ``weight`` are ``[m, s]`` with s >= 1: row i of the result is
    sum_s weight[i, s] x_all[index[i, s]], added in the order of s. ``out``, contiguous and not
    overlapping ``x_all``, takes the result without a new allocation.

    Raises:
        ValueError: shapes that do not fit each other.
        IndexError: an index outside [0, k).
    """
    if index.shape != weight.shape or index.dim() != 2 or index.shape[1] == 0:
        raise ValueError(
            "index and weight must have one shape [m, s] with s >= 1, "
            f"got {tuple(index.shape)} and {tuple(weight.shape)}"
        )
    if by_torch(x_all) or x_all.dtype not in (torch.float32, torch.float64):
        mixed = mix_torch(x_all, index, weight)
        return mixed if out is None else out.copy_(mixed)
    shape = (*x_all.shape[:-2], index.shape[0], x_all.shape[-1])
    if out is None:
        out = torch.empty(shape, dtype=x_all.dtype)
    if out.shape != shape or out.dtype != x_all.dtype or not out.is_contiguous():
        raise ValueError(
            f"out must be contiguous, {x_all.dtype}, of shape {shape}, "
            f"got {out.dtype} of shape {tuple(out.shape)}"
        )
    rows = x_all.contiguous().view(-1, *x_all.shape[-2:]).numpy()
    target = out.view(-1, *out.shape[-2:]).numpy()
    weights = weight.to(x_all.dtype).contiguous().numpy()
    if not mix_rows(rows, index.contiguous().numpy(), weights, target):
        raise IndexError(
            f"index must lie in [0, {x_all.shape[-2]}) for {x_all.shape[-2]} rows, "
            f"got values from {int(index.min())} to {int(index.max())}"
        )
    return out
