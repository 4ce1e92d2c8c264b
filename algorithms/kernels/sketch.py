"""Count sketches: signed sums of hashed coordinates, and what they tell of each coordinate.

Coordinates are added in ascending order, so a row's sketch has the same bits whatever rows are
held with it. A table of hashes ``[P or 1, rows, d]`` (int64) holds
2 bucket + sign for every coordinate; sign 1 adds it, 0 subtracts it.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit


@njit(cache=True, nogil=True)
def sketch_into(x, hashed, out):  # type: ignore[no-untyped-def]
    """Sketches ``[P, rows, width]`` of rows ``[P, d]``; codes ``[P or 1, rows, d]``."""
    shared = hashed.shape[0] == 1
    for i in range(x.shape[0]):
        k = 0 if shared else i
        for r in range(hashed.shape[1]):
            out[i, r, :] = 0.0
            for j in range(x.shape[1]):
                code = hashed[k, r, j]
                if code & 1:
                    out[i, r, code >> 1] += x[i, j]
                else:
                    out[i, r, code >> 1] -= x[i, j]


@njit(cache=True, nogil=True)
def medians_into(sketches, hashed, out):  # type: ignore[no-untyped-def]
    """Medians ``[P, d]`` of what the rows of sketches ``[P, rows, width]`` tell."""
    shared = hashed.shape[0] == 1
    rows = hashed.shape[1]
    found = np.empty(rows, dtype=out.dtype)
    for i in range(out.shape[0]):
        k = 0 if shared else i
        for j in range(out.shape[1]):
            for r in range(rows):
                code = hashed[k, r, j]
                v = sketches[i, r, code >> 1]
                v = v if code & 1 else -v
                at = r
                while at > 0 and found[at - 1] > v:
                    found[at] = found[at - 1]
                    at -= 1
                found[at] = v
            out[i, j] = (found[(rows - 1) // 2] + found[rows // 2]) / 2


def sketch_torch(x: Tensor, hashed: Tensor, width: int) -> Tensor:
    """The twin of :func:`sketch` in torch operations, coordinate by coordinate."""
    rows, r = x.shape[0], hashed.shape[1]
    out = torch.zeros((rows, r, width), dtype=x.dtype, device=x.device)
    for j in range(x.shape[1]):
        code = hashed[:, :, j]
        value = torch.where((code & 1) == 1, x[:, None, j], -x[:, None, j])
        where = (code >> 1).expand(rows, r)[..., None]
        out.scatter_(-1, where, out.gather(-1, where) + value.expand(rows, r)[..., None])
    return out


def sketch(x: Tensor, hashed: Tensor, width: int) -> Tensor:
    """Sketches ``[..., rows, width]`` of x ``[..., d]``.

    ``hashed`` ``[..., rows, d]`` has the leading axes of x, or is ``[1, rows, d]`` for all.
    """
    flat = x.reshape(-1, x.shape[-1]).contiguous()
    codes = hashed.reshape(-1, *hashed.shape[-2:]).contiguous()
    if by_torch(x):
        out = sketch_torch(flat, codes, width)
    else:
        out = torch.empty((len(flat), codes.shape[1], width), dtype=x.dtype)
        sketch_into(flat.detach().numpy(), codes.numpy(), out.numpy())
    return out.reshape(*x.shape[:-1], *out.shape[1:])


def estimates(sketches: Tensor, hashed: Tensor) -> Tensor:
    """Estimates ``[..., rows, d]`` of every coordinate by every row of sketches."""
    where = (hashed >> 1).expand(*sketches.shape[:-1], hashed.shape[-1])
    found = sketches.gather(-1, where)
    return torch.where((hashed & 1) == 1, found, -found)


def median(values: Tensor) -> Tensor:
    """Median ``[..., d]`` over rows of ``[..., rows, d]``: the mean of the middle two if even."""
    ordered = values.sort(-2).values
    rows = values.shape[-2]
    return (ordered[..., (rows - 1) // 2, :] + ordered[..., rows // 2, :]) / 2


def median_estimates(sketches: Tensor, hashed: Tensor) -> Tensor:
    """``median(estimates(...))`` ``[..., d]``, without the estimates in between on CPUs."""
    if by_torch(sketches):
        return median(estimates(sketches, hashed))
    flat = sketches.reshape(-1, *sketches.shape[-2:]).contiguous()
    codes = hashed.reshape(-1, *hashed.shape[-2:]).contiguous()
    out = torch.empty((len(flat), codes.shape[-1]), dtype=sketches.dtype)
    medians_into(flat.detach().numpy(), codes.numpy(), out.numpy())
    return out.reshape(*sketches.shape[:-2], codes.shape[-1])
