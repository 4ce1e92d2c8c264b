"""Sums and means over workers in the order of their ids: the same bits wherever they are taken.

A sum starts at 0, so that rows of mostly zeros may be added entry by entry to the same bits: of
zeros alone it is +0, whatever their signs.
"""

from __future__ import annotations

import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit


@njit(cache=True, nogil=True)
def _mean_rows(rows, divisor, out):  # type: ignore[no-untyped-def]
    replicas, n, d = rows.shape
    for r in range(replicas):
        for j in range(d):
            out[r, j] = 0
        for i in range(n):
            for j in range(d):
                out[r, j] += rows[r, i, j]
        for j in range(d):
            out[r, j] /= divisor


def sum_rows_torch(rows: Tensor) -> Tensor:
    """The twin of :func:`sum_rows`: the same sums in the same order."""
    total = torch.zeros_like(rows[..., 0, :])
    for i in range(rows.shape[-2]):
        total += rows[..., i, :]
    return total


def mean_rows_torch(rows: Tensor) -> Tensor:
    """The twin of :func:`mean_rows`."""
    return sum_rows_torch(rows) / rows.shape[-2]


def mean_rows(rows: Tensor, keepdim: bool = False) -> Tensor:
    """Mean ``[..., d]`` of ``[..., n, d]``, summed in the order of rows; or ``[..., 1, d]``."""
    if by_torch(rows):
        return _shaped(mean_rows_torch(rows), keepdim)
    return _divided(rows, rows.shape[-2], keepdim)


def sum_rows(rows: Tensor, keepdim: bool = False) -> Tensor:
    """Sum ``[..., d]`` of ``[..., k, d]`` in the order of rows; or ``[..., 1, d]``."""
    if by_torch(rows):
        return _shaped(sum_rows_torch(rows), keepdim)
    return _divided(rows, 1, keepdim)


def _shaped(row: Tensor, keepdim: bool) -> Tensor:
    return row[..., None, :] if keepdim else row


def _divided(rows: Tensor, divisor: int, keepdim: bool) -> Tensor:
    *lead, n, d = rows.shape
    out = torch.empty((*lead, 1, d) if keepdim else (*lead, d), dtype=rows.dtype)
    _mean_rows(rows.contiguous().view(-1, n, d).numpy(), divisor, out.view(-1, d).numpy())
    return out
