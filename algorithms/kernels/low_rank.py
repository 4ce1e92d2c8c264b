"""Small matrix products of every row by itself, summed in a fixed order.

A batched product of a library may choose its order by the size of the batch; these give a row the
same bits whatever rows are held with it. Kernels and twins perform the same IEEE operations.
"""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.row_norms import exact_sqrt

_FEW = 4  # columns up to which rows are taken side by side
_NEGLIGIBLE = 1e-12  # a column this much shorter after projection lies in the span already


@njit(cache=True, nogil=True)
def _times(m, q, out):  # type: ignore[no-untyped-def]
    shared = q.shape[0] == 1
    for i in range(m.shape[0]):
        right = q[0] if shared else q[i]
        for row in range(m.shape[1]):
            for c in range(right.shape[1]):
                out[i, row, c] = 0.0
            for k in range(m.shape[2]):
                for c in range(right.shape[1]):
                    out[i, row, c] += m[i, row, k] * right[k, c]


@njit(cache=True, nogil=True)
def _times_few(m, q, out):  # type: ignore[no-untyped-def]
    """The same sums for few columns, four rows side by side."""
    shared, a = q.shape[0] == 1, m.shape[1]
    for i in range(m.shape[0]):
        right, left, there = q[0] if shared else q[i], m[i], out[i]
        for row in range(0, a, 4):
            s, t, w = min(row + 1, a - 1), min(row + 2, a - 1), min(row + 3, a - 1)
            for c in range(right.shape[1]):
                one = two = three = four = out.dtype.type(0.0)
                for k in range(left.shape[1]):
                    v = right[k, c]
                    one += left[row, k] * v
                    two += left[s, k] * v
                    three += left[t, k] * v
                    four += left[w, k] * v
                there[row, c], there[s, c], there[t, c], there[w, c] = one, two, three, four


@njit(cache=True, nogil=True)
def product(m, q, out):  # type: ignore[no-untyped-def]
    """M Q ``[P, a, r]`` of M ``[P, a, b]`` and Q ``[P or 1, b, r]``."""
    if q.shape[2] <= _FEW:
        _times_few(m, q, out)
    else:
        _times(m, q, out)


@njit(cache=True, nogil=True)
def transposed_into(m, p, out):  # type: ignore[no-untyped-def]
    """M^T P ``[P, b, r]``: row after row of M added up, each times its entry of P, so that a
    column's sum is in that order."""
    total = np.empty(m.shape[2], dtype=out.dtype)
    for i in range(m.shape[0]):
        for c in range(p.shape[2]):
            total[:] = 0.0
            for k in range(m.shape[1]):
                v, row = p[i, k, c], m[i, k]
                for j in range(total.shape[0]):
                    total[j] += row[j] * v
            for j in range(total.shape[0]):
                out[i, j, c] = total[j]


@njit(cache=True, nogil=True, error_model="numpy")
def orthonormal_into(p, out):  # type: ignore[no-untyped-def]
    """Orthonormal columns of P ``[P, a, r]``."""
    rows, a, r = p.shape
    for i in range(rows):
        for c in range(r):
            before = 0.0
            for k in range(a):
                out[i, k, c] = p[i, k, c]
                before += np.float64(p[i, k, c]) * np.float64(p[i, k, c])
            for other in range(c):
                dot = out.dtype.type(0.0)
                for k in range(a):
                    dot += out[i, k, other] * out[i, k, c]
                for k in range(a):
                    out[i, k, c] -= dot * out[i, k, other]
            square = 0.0
            for k in range(a):
                square += np.float64(out[i, k, c]) * np.float64(out[i, k, c])
            norm = math.sqrt(square)
            kept = norm > _NEGLIGIBLE * math.sqrt(before)
            for k in range(a):
                scaled = np.float64(out[i, k, c]) / norm if kept else 0.0
                out[i, k, c] = out.dtype.type(scaled)


def times_torch(m: Tensor, q: Tensor) -> Tensor:
    """The twin of :func:`times` in torch operations."""
    out = torch.zeros((m.shape[0], m.shape[1], q.shape[2]), dtype=m.dtype, device=m.device)
    for k in range(m.shape[2]):
        out = out + m[:, :, k, None] * q[:, None, k, :]
    return out


def orthonormal_torch(p: Tensor) -> Tensor:
    """The twin of :func:`orthonormal` in torch operations."""
    columns: list[Tensor] = []
    for c in range(p.shape[2]):
        v = p[:, :, c]
        before = _square(v)
        for other in columns:
            dot = torch.zeros_like(v[:, 0])
            for k in range(v.shape[1]):
                dot = dot + other[:, k] * v[:, k]
            v = v - dot[:, None] * other
        norm = exact_sqrt(_square(v))
        kept = norm > _NEGLIGIBLE * exact_sqrt(before)
        scaled = torch.where(kept[:, None], v.double() / norm[:, None], 0)
        columns.append(scaled.to(p.dtype))
    return torch.stack(columns, -1)


def _square(v: Tensor) -> Tensor:
    total = torch.zeros(v.shape[0], dtype=torch.float64, device=v.device)
    for k in range(v.shape[1]):
        total = total + v[:, k].double() * v[:, k].double()
    return total


def times(m: Tensor, q: Tensor) -> Tensor:
    """M Q ``[..., a, r]`` for M ``[..., a, b]`` and Q of the same leading axes or ``[1, b, r]``."""
    left = m.reshape(-1, *m.shape[-2:]).contiguous()
    right = q.reshape(-1, *q.shape[-2:]).contiguous()
    if by_torch(m):
        out = times_torch(left, right)
    else:
        out = torch.empty((len(left), left.shape[1], right.shape[2]), dtype=m.dtype)
        product(left.detach().numpy(), right.detach().numpy(), out.numpy())
    return out.reshape(*m.shape[:-1], q.shape[-1])


def transposed_times(m: Tensor, p: Tensor) -> Tensor:
    """M^T P ``[..., b, r]`` for M ``[..., a, b]`` and P ``[..., a, r]``: ``times`` of the
    transposed."""
    if by_torch(m):
        return times(m.transpose(-1, -2), p)
    left, right = (v.detach().reshape(-1, *v.shape[-2:]).contiguous() for v in (m, p))
    out = torch.empty((len(left), left.shape[2], right.shape[2]), dtype=m.dtype)
    transposed_into(left.numpy(), right.numpy(), out.numpy())
    return out.reshape(*m.shape[:-2], m.shape[-1], p.shape[-1])


def orthonormal(p: Tensor) -> Tensor:
    """Columns of P ``[..., a, r]`` made orthonormal by modified Gram-Schmidt, left to right.

    A column that lies in the span of those before it (to 1e-12) becomes zero.
    """
    flat = p.reshape(-1, *p.shape[-2:]).contiguous()
    if by_torch(p):
        return orthonormal_torch(flat).reshape(p.shape)
    out = torch.empty_like(flat)
    orthonormal_into(flat.detach().numpy(), out.numpy())
    return out.reshape(p.shape)
