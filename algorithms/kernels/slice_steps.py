"""Steps of GradiVeQ: slices of gradients as their coefficients in a basis that is learnt now and
then."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.low_rank import product
from algorithms.kernels.mean import sum_rows_torch
from algorithms.kernels.row_parts import Loop, all_finite
from algorithms.kernels.server_steps import add_rows


@njit(cache=True, nogil=True)
def _add_products(row, length, out):  # type: ignore[no-untyped-def]
    """x x^T of the slices ``[length]`` of a row ``[count * length]``, added in their order."""
    for start in range(0, row.shape[0], length):
        for a in range(length):
            for b in range(length):
                out[a, b] += row[start + a] * row[start + b]


@njit(cache=True, nogil=True)
def _products(rows, out):  # type: ignore[no-untyped-def]
    for i in range(rows.shape[0]):
        out[i] = 0
        _add_products(rows[i], out.shape[1], out[i])


def products(cut: Tensor) -> Tensor:
    """Sums ``[..., K, K]`` of x x^T over slices ``[..., count, K]``, in the order of slices."""
    if by_torch(cut):
        square = cut[..., :, None] * cut[..., None, :]
        return sum_rows_torch(square.flatten(-2)).view(square[..., 0, :, :].shape)
    *lead, count, length = cut.shape
    out = torch.empty((*lead, length, length), dtype=cut.dtype)
    flat = out.view(-1, length, length).numpy()
    _products(cut.reshape(-1, count * length).contiguous().numpy(), flat)
    return out


@njit(cache=True, nogil=True)
def _wanted(g, gamma, feedback, residual):  # type: ignore[no-untyped-def]
    for i in range(g.shape[0]):
        for j in range(g.shape[1]):
            step = gamma * g[i, j]
            g[i, j] = step + residual[i, j] if feedback else step


@njit(cache=True, nogil=True, error_model="numpy")
def _learnt(wanted, gamma, seen, feedback, centred, x, residual, mean, covariance):  # type: ignore[no-untyped-def]
    """An uncompressed step of the model ``[1, d]``; moments ``[1, d]`` and ``[K, K]`` follow."""
    n, d, length = wanted.shape[0], x.shape[1], covariance.shape[0]
    total, fresh = np.zeros(d, x.dtype), np.zeros((length, length), x.dtype)
    off = np.zeros(-(-d // length) * length, x.dtype)
    add_rows(wanted, total, 0, d)
    if seen == 0:
        mean[:], covariance[:] = 0, 0
    for j in range(d):
        step = x.dtype.type(total[j] / n)
        off[j] = step / gamma - mean[0, j]
        x[0, j] = x[0, j] - step
        if centred:
            mean[0, j] = mean[0, j] + off[j] / x.dtype.type(seen + 1)
        for i in range(n if feedback else 0):
            residual[i, j] = wanted[i, j] - wanted[i, j]
    weight = x.dtype.type(seen / (seen + 1)) if centred else x.dtype.type(1)
    _add_products(off, length, fresh)
    for a in range(length):
        for b in range(length):
            covariance[a, b] = covariance[a, b] + weight * fresh[a, b]


@njit(cache=True, nogil=True)
def _restored(c, wide, centre, out):  # type: ignore[no-untyped-def]
    """centre + U c of rows ``[k, count, r]``, wide U^T ``[1, r, K]``, into ``[k, d]``."""
    k, count, length = c.shape[0], c.shape[1], wide.shape[2]
    made = np.empty((k, count, length), c.dtype)
    product(c, wide, made)
    flat = made.reshape(k, count * length)
    for i in range(k):
        for j in range(out.shape[1]):
            out[i, j] = centre[j] + flat[i, j]


@njit(cache=True, nogil=True, error_model="numpy")
def _projected(wanted, gamma, feedback, x, residual, mean, basis):  # type: ignore[no-untyped-def]
    """A compressed step of the model ``[1, d]`` by coefficients in a basis ``[1, K, r]``."""
    n, d, length, rank = wanted.shape[0], x.shape[1], basis.shape[1], basis.shape[2]
    count, kind = -(-d // length), x.dtype
    centre, off = np.empty(d, kind), np.zeros((n, count * length), kind)
    wide, c = np.empty((1, rank, length), kind), np.empty((n, count, rank), kind)
    total, step = np.zeros((1, count * rank), kind), np.empty((1, d), kind)
    for a in range(rank):
        for b in range(length):
            wide[0, a, b] = basis[0, b, a]
    for j in range(d):
        centre[j] = gamma * mean[0, j]
        for i in range(n):
            off[i, j] = wanted[i, j] - centre[j]
    product(off.reshape(n, count, length), basis, c)
    add_rows(c.reshape(n, count * rank), total[0], 0, count * rank)
    for e in range(count * rank):
        total[0, e] /= n
    _restored(total.reshape(1, count, rank), wide, centre, step)
    for j in range(d):
        x[0, j] = x[0, j] - step[0, j]
    if feedback:
        _restored(c, wide, centre, residual)
        for i in range(n):
            for j in range(d):
                residual[i, j] = wanted[i, j] - residual[i, j]


@njit(cache=True, nogil=True)
def _slice_loop(  # type: ignore[no-untyped-def]
    gradient, gnum, feedback, centred, learn, cycle, x, residual, mean, covariance, basis, gammas,
    first, gwords, cwords, replicas, together, bits, downs,
):  # fmt: skip
    n, d = residual.shape[1], x.shape[2]
    g = np.empty((n, d), x.dtype)
    for i in range(gammas.shape[0]):
        seen, gamma = (first + i) % cycle, gammas[i]
        for r in range(x.shape[0]):
            for w in range(0, n, together):
                made = g[w : min(w + together, n)]
                gradient(gnum, x[r], gwords[i, 0], gwords[i, 1], replicas[r], w, made)
                if not all_finite(made):
                    return i
            _wanted(g, gamma, feedback, residual[r])
            if seen >= learn:
                _projected(g, gamma, feedback, x[r], residual[r], mean[r], basis[r])
                continue
            _learnt(g, gamma, seen, feedback, centred, x[r], residual[r], mean[r], covariance[r, 0])
            if not all_finite(covariance[r, 0]):
                return i
    return gammas.shape[0]


SLICE_LOOP = Loop(
    _slice_loop, "word", "gradient", "numbers", "flag", "flag", "word", "word", "rows3", "rows3",
    "rows3", "rows4", "rows4", "rows1", "word", "whole2", "whole2", "whole", "word", "whole3",
    "whole3",
)  # fmt: skip
"""Steps one after another: how many were taken before something was not finite."""
