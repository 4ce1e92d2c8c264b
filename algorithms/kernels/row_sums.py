"""Sums of rows from left to right in double precision, four rows side by side."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit


@njit(cache=True, nogil=True)
def sides_into(x, out, below):  # type: ignore[no-untyped-def]
    """Sums of what is not below zero and of what is, and how many are; -0.0 is not below."""
    rows, d = x.shape
    for i in range(0, rows, 4):
        b, c, e = min(i + 1, rows - 1), min(i + 2, rows - 1), min(i + 3, rows - 1)
        ua = ub = uc = ue = la = lb = lc = le = -0.0
        na = nb = nc = ne = np.int64(0)
        for j in range(d):
            va, vb = np.float64(x[i, j]), np.float64(x[b, j])
            vc, ve = np.float64(x[c, j]), np.float64(x[e, j])
            ua, la, na = (
                ua + (0.0 if va < 0 else va),
                la + (va if va < 0 else 0.0),
                na + np.int64(va < 0),
            )
            ub, lb, nb = (
                ub + (0.0 if vb < 0 else vb),
                lb + (vb if vb < 0 else 0.0),
                nb + np.int64(vb < 0),
            )
            uc, lc, nc = (
                uc + (0.0 if vc < 0 else vc),
                lc + (vc if vc < 0 else 0.0),
                nc + np.int64(vc < 0),
            )
            ue, le, ne = (
                ue + (0.0 if ve < 0 else ve),
                le + (ve if ve < 0 else 0.0),
                ne + np.int64(ve < 0),
            )
        out[e, 0], out[e, 1], below[e] = ue, le, ne
        out[c, 0], out[c, 1], below[c] = uc, lc, nc
        out[b, 0], out[b, 1], below[b] = ub, lb, nb
        out[i, 0], out[i, 1], below[i] = ua, la, na


@njit(cache=True, nogil=True)
def totals_into(x, out):  # type: ignore[no-untyped-def]
    """Sums of rows ``[P, d]``, from left to right, into ``[P]``."""
    rows, d = x.shape
    for i in range(0, rows, 4):
        b, c, e = min(i + 1, rows - 1), min(i + 2, rows - 1), min(i + 3, rows - 1)
        sa = sb = sc = se = 0.0
        for j in range(d):
            sa += np.float64(x[i, j])
            sb += np.float64(x[b, j])
            sc += np.float64(x[c, j])
            se += np.float64(x[e, j])
        out[e], out[c], out[b], out[i] = se, sc, sb, sa


def side_means_torch(x: Tensor) -> Tensor:
    """The twin of :func:`side_means`, equal."""
    below = x < 0
    sides = []
    for side in (~below, below):
        held = torch.where(side, x, 0).to(torch.float64).cumsum(-1)[..., -1:]
        sides.append(held / side.sum(-1, keepdim=True).clamp_min(1))
    return torch.cat(sides, -1).to(x.dtype)


def side_means(x: Tensor) -> Tensor:
    """Means ``[..., m, 2]`` of what is not below zero and of what is; 0 for an empty side."""
    if by_torch(x):
        return side_means_torch(x)
    rows = x.detach().reshape(-1, x.shape[-1]).contiguous()
    sums = torch.empty((len(rows), 2), dtype=torch.float64)
    below = torch.empty(len(rows), dtype=torch.int64)
    sides_into(rows.numpy(), sums.numpy(), below.numpy())
    counts = torch.stack((x.shape[-1] - below, below), -1)
    return (sums / counts.clamp_min(1)).to(x.dtype).reshape(*x.shape[:-1], 2)


def totals_torch(x: Tensor) -> Tensor:
    """The twin of :func:`totals`, equal."""
    return x.to(torch.float64).cumsum(-1)[..., -1:]


def totals(x: Tensor) -> Tensor:
    """Sums ``[..., m, 1]`` (float64) of rows."""
    if by_torch(x):
        return totals_torch(x)
    rows = x.detach().reshape(-1, x.shape[-1]).contiguous()
    out = torch.empty((*x.shape[:-1], 1), dtype=torch.float64)
    totals_into(rows.numpy(), out.view(-1).numpy())
    return out
