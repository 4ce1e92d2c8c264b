"""Subgradients of mean absolute errors, sample by sample in a fixed order."""

from __future__ import annotations

import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.row_products import row_dot


@njit(cache=True, nogil=True)
def absolutes_row(features, targets, x, index, g):  # type: ignore[no-untyped-def]
    """One worker's subgradient at x over the samples ``index`` of its features ``[S, d]``."""
    d, b = features.shape[1], index.shape[0]
    g[:] = 0.0
    for q in range(b):
        a = features[index[q]]
        residual = row_dot(features, index[q], x) - targets[index[q]]
        if residual > 0:
            for j in range(d):
                g[j] += a[j]
        elif residual < 0:
            for j in range(d):
                g[j] -= a[j]
    for j in range(d):
        g[j] /= b


@njit(cache=True, nogil=True)
def _absolutes(features, targets, points, worker_of, index, out):  # type: ignore[no-untyped-def]
    for p in range(worker_of.shape[0]):
        w = worker_of[p]
        absolutes_row(features[w], targets[w], points[p], index[p], out[p])


def absolutes_numba(
    features: Tensor, targets: Tensor, points: Tensor, worker_of: Tensor, index: Tensor
) -> Tensor:
    """Subgradients ``[P, d]`` of P pairs on a CPU.

    features ``[n, S, d]``, targets ``[n, S]``, points ``[P, d]``, worker_of ``[P]``, index
    ``[P, b]`` (int64): g = (1/b) sum_q sign(a_q.x - y_q) a_q, with sign(0) = 0.
    """
    out = torch.empty((worker_of.shape[0], features.shape[-1]), dtype=features.dtype)
    _absolutes(
        features.numpy(), targets.numpy(), points.numpy(), worker_of.numpy(), index.numpy(),
        out.numpy(),
    )  # fmt: skip
    return out


def absolutes_torch(
    features: Tensor, targets: Tensor, points: Tensor, worker_of: Tensor, index: Tensor
) -> Tensor:
    """The twin of :func:`absolutes_numba` on any device, equal to rounding."""
    chosen = features[worker_of[:, None], index]
    residual = (chosen * points[:, None, :]).sum(-1) - targets[worker_of[:, None], index]
    return (residual.sign()[..., None] * chosen).mean(-2)


def absolutes_gradient(
    features: Tensor, targets: Tensor, x: Tensor, workers: Tensor, index: Tensor
) -> Tensor:
    """Subgradients ``[..., k, d]`` at x ``[..., k or 1, d]`` of ``workers`` ``[..., k]``, averaging
    the samples ``index`` ``[..., k, b]``."""
    run = absolutes_torch if by_torch(features) else absolutes_numba
    d = features.shape[-1]
    out = run(
        features,
        targets,
        x.expand(*workers.shape, d).reshape(-1, d).contiguous(),
        workers.reshape(-1).contiguous(),
        index.reshape(-1, index.shape[-1]).contiguous(),
    )
    return out.view(*workers.shape, d)
