"""Rows to ternaries: signs at random, by chances that a guide sets.

One pass over a row; kernel and twin perform the same IEEE operations and agree bit for bit.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.drawn import drawn_torch, numbers_of_row, row_numbers
from algorithms.kernels.philox import Counters


@njit(cache=True, nogil=True, error_model="numpy")
def ternary_row(row, guide, u, codes):  # type: ignore[no-untyped-def]
    """Codes of one row: 0, or where u < |x_j| / s_j 1 above zero and 2 below; s_j of a guide of as
    many numbers, or of one."""
    if guide.shape[0] == 1:
        top = guide[0]
        for j in range(row.shape[0]):
            taken = np.int32(u[j] < abs(row[j]) / top) if top > 0 else np.int32(0)
            codes[j] = taken << np.int32(row[j] < 0)
    else:
        for j in range(row.shape[0]):
            taken = np.int32(guide[j] > 0) & np.int32(u[j] < abs(row[j]) / guide[j])
            codes[j] = taken << np.int32(row[j] < 0)


@njit(cache=True, nogil=True)
def ternary_rows(x, guide, given, drawn, k0, k1, replicas, workers, out):  # type: ignore[no-untyped-def]
    """:func:`ternary_row` of rows ``[P, d]``, whose uniforms are given or drawn."""
    for i in range(x.shape[0]):
        u = numbers_of_row(given, drawn, k0, k1, replicas, workers, i)
        ternary_row(x[i], guide[i], u, out[i])


def ternary_torch(x: Tensor, guide: Tensor, u: Tensor | Counters) -> Tensor:
    """The twin of :func:`ternary`, equal."""
    share = torch.where(guide > 0, x.abs() / guide, 0)
    taken = drawn_torch(u, x) < share
    return torch.where(taken, torch.where(x < 0, 2, 1), 0).to(torch.uint8)


def ternary(x: Tensor, guide: Tensor, u: Tensor | Counters) -> Tensor:
    """Codes ``[..., m, d]``: 0, or where u < |x| / guide 1 above zero and 2 below; nothing where
    the guide ``[..., m, d]`` or ``[..., m, 1]`` is 0."""
    if by_torch(x):
        return ternary_torch(x, guide, u)
    out = torch.empty(x.shape, dtype=torch.uint8)
    own = guide.expand(*x.shape[:-1], guide.shape[-1])
    rows, guides = (v.detach().reshape(-1, v.shape[-1]).contiguous().numpy() for v in (x, own))
    ternary_rows(rows, guides, *row_numbers(u, x.shape, x.dtype), out.view(-1, x.shape[-1]).numpy())
    return out
