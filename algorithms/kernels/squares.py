"""Gradients of least squares in residual form, X^T (X x - y), eight samples at a time."""

from __future__ import annotations

import torch
from torch import Tensor

from algorithms.kernels.compiled import by_torch, njit
from algorithms.kernels.row_products import add_eight, eight_dots, row_dot


@njit(cache=True, nogil=True)
def squares_row(features, targets, count, x, g):  # type: ignore[no-untyped-def]
    """One worker's gradient at x over the first ``count`` of its samples ``[S, d]``."""
    g[:] = 0.0
    eights = count - count % 8
    for s in range(0, eights, 8):
        z0, z1, z2, z3, z4, z5, z6, z7 = eight_dots(features, s, x)
        y = targets[s : s + 8]
        add_eight(
            features, s, z0 - y[0], z1 - y[1], z2 - y[2], z3 - y[3], z4 - y[4], z5 - y[5],
            z6 - y[6], z7 - y[7], g,
        )  # fmt: skip
    for s in range(eights, count):
        residual = row_dot(features, s, x) - targets[s]
        for j in range(g.shape[0]):
            g[j] += residual * features[s, j]


@njit(cache=True, nogil=True)
def _squares(features, targets, counts, points, share, worker_of, out):  # type: ignore[no-untyped-def]
    for p in range(worker_of.shape[0]):
        w = worker_of[p]
        squares_row(features[w], targets[w], counts[w], points[p // share], out[p])


def squares_numba(
    features: Tensor, targets: Tensor, counts: Tensor, points: Tensor, share: int, worker_of: Tensor
) -> Tensor:
    """Gradients ``[P, d]`` of P pairs on a CPU.

    features ``[n, S, d]``, targets ``[n, S]``, of which worker w has the first counts[w] (int64);
    points ``[P / share, d]``: ``share`` pairs in turn have one point; worker_of ``[P]``.
    """
    out = torch.empty((worker_of.shape[0], features.shape[-1]), dtype=features.dtype)
    _squares(
        features.numpy(), targets.numpy(), counts.numpy(), points.numpy(), share,
        worker_of.numpy(), out.numpy(),
    )  # fmt: skip
    return out


def squares_torch(
    features: Tensor, targets: Tensor, counts: Tensor, points: Tensor, share: int, worker_of: Tensor
) -> Tensor:
    """The twin of :func:`squares_numba` on any device, equal to rounding."""
    chosen, points = features[worker_of], points.repeat_interleave(share, 0)
    present = torch.arange(features.shape[1], device=features.device) < counts[worker_of][:, None]
    residual = (chosen * points[:, None, :]).sum(-1) - targets[worker_of]
    return (torch.where(present, residual, 0)[..., None] * chosen).sum(-2)


def squares_gradient(
    features: Tensor, targets: Tensor, counts: Tensor, x: Tensor, workers: Tensor
) -> Tensor:
    """Gradients ``[..., k, d]`` at x ``[..., k or 1, d]`` of the rows ``workers`` ``[..., k]``."""
    d, share = features.shape[-1], workers.shape[-1]
    if x.shape[:-1] != (*workers.shape[:-1], 1):
        x, share = x.expand(*workers.shape, d), 1
    run = squares_torch if by_torch(features) else squares_numba
    flat = x.reshape(-1, d).contiguous()
    out = run(features, targets, counts, flat, share, workers.reshape(-1).contiguous())
    return out.view(*workers.shape, d)
