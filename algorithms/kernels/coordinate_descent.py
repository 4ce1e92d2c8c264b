r"""Coordinate descent on a block of columns: the local problem of CoCoA and CoLa.

For each row: min over D in the block of g^T A D + (c/2) ||A D||^2 + sum_j r(x_j + D_j), with
r(u) = l1 |u| + l2 u^2/2, by cyclic passes of exact minimisation in one coordinate. Computed in
double precision on the CPU; a row's bits depend on that row alone.
"""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import njit
from theory.arrays import Floats

_LANES = 4


@njit(cache=True, nogil=True)
def _dot(a, g, c, r, lanes):  # type: ignore[no-untyped-def]
    lanes[:] = 0.0
    whole = a.shape[0] - a.shape[0] % 4
    for s in range(0, whole, 4):
        for k in range(4):
            lanes[k] += a[s + k] * (g[s + k] + c * r[s + k])
    for s in range(whole, a.shape[0]):
        lanes[s - whole] += a[s] * (g[s] + c * r[s])
    return (lanes[0] + lanes[2]) + (lanes[1] + lanes[3])


@njit(cache=True, nogil=True)
def _shrunk(z, l1):  # type: ignore[no-untyped-def]
    if z > l1:
        return z - l1
    return z + l1 if z < -l1 else 0.0


@njit(cache=True, nogil=True)
def _descend(at, squares, g, x, first, last, c, l1, l2, passes, change, move):  # type: ignore[no-untyped-def]
    lanes = np.zeros(_LANES)
    for i in range(x.shape[0]):
        for _ in range(passes):
            for j in range(first[i], last[i]):
                q = c * squares[j]
                if q + l2 == 0.0:
                    continue
                here = x[i, j] + change[i, j]
                z = q * here - _dot(at[j], g[i], c, move[i], lanes)
                step = _shrunk(z, l1) / (q + l2) - here
                if step != 0.0:
                    change[i, j] += step
                    for s in range(move.shape[1]):
                        move[i, s] += step * at[j, s]


@njit(cache=True, nogil=True)
def _products(at, x, first, last, out):  # type: ignore[no-untyped-def]
    for i in range(x.shape[0]):
        for j in range(first[i], last[i]):
            for s in range(out.shape[1]):
                out[i, s] += x[i, j] * at[j, s]


def descend(
    columns: Tensor, slopes: Tensor, x: Tensor, first: Tensor, last: Tensor, curvature: float,
    l1: float, l2: float, passes: int, squares: Floats | None = None,
) -> tuple[Tensor, Tensor]:  # fmt: skip
    """Changes D ``[..., m, d]`` of x ``[..., m, d]`` and A D ``[..., m, S]``.

    ``columns`` ``[d, S]`` is A^T, ``slopes`` ``[..., m, S]`` is g; row i of m has the block
    ``first`` to ``last`` ``[m]`` (int64, end excluded); ``curvature`` is c;
    ``squares`` ``[d]`` are :func:`column_squares`, if they are known.
    """
    at, flat, starts, ends = _prepared(columns, x, first, last)
    g = slopes.double().cpu().contiguous().reshape(-1, slopes.shape[-1])
    change, move = torch.zeros_like(flat), torch.zeros_like(g)
    squares = column_squares(columns) if squares is None else squares
    _descend(
        at.numpy(), squares, g.numpy(), flat.numpy(), starts.numpy(), ends.numpy(), curvature,
        l1, l2, passes, change.numpy(), move.numpy(),
    )  # fmt: skip
    return change.view(x.shape).to(x), move.view(slopes.shape).to(x)


def column_squares(columns: Tensor) -> Floats:
    """Squared lengths ``[d]`` of the columns of A, the rows of ``columns`` ``[d, S]``."""
    return np.asarray((columns.double().cpu().contiguous().numpy() ** 2).sum(axis=1))


def block_products(columns: Tensor, x: Tensor, first: Tensor, last: Tensor) -> Tensor:
    """A x over each row's own block: ``[..., m, S]`` for x ``[..., m, d]``."""
    at, flat, starts, ends = _prepared(columns, x, first, last)
    out = torch.zeros((flat.shape[0], at.shape[1]), dtype=torch.float64)
    _products(at.numpy(), flat.numpy(), starts.numpy(), ends.numpy(), out.numpy())
    return out.view(*x.shape[:-1], at.shape[1]).to(x)


def _prepared(
    columns: Tensor, x: Tensor, first: Tensor, last: Tensor
) -> tuple[Tensor, Tensor, Tensor, Tensor]:
    """A^T, rows ``[P, d]`` and their blocks ``[P]``, in double precision on the CPU."""
    flat = x.detach().double().cpu().contiguous().reshape(-1, x.shape[-1])
    times = flat.shape[0] // first.shape[0]
    starts, ends = (v.cpu().repeat(times) for v in (first, last))
    return columns.double().cpu().contiguous(), flat, starts, ends
