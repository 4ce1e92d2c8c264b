"""Least sub-gradients of linear models over all samples, and as a part of compiled steps."""

from __future__ import annotations

import numpy as np
import torch
from torch import Tensor

from algorithms.kernels.compiled import njit
from algorithms.kernels.glm_slopes import logistic_slope, sigmoid_slope
from algorithms.kernels.row_products import backward, forward

SQUARE, LOGISTIC, SIGMOID = 0, 1, 2
"""Losses: (v - y)^2 / 2, log(1 + e^{-yv}) and 1 / (1 + e^{yv})."""


@njit(cache=True, nogil=True)
def _slope(kind, v, y):  # type: ignore[no-untyped-def]
    if kind == SQUARE:
        return v - y
    return logistic_slope(v, y) if kind == LOGISTIC else sigmoid_slope(v, y)


@njit(cache=True, nogil=True)
def _least_row(samples, targets, kind, l1, l2, x, z, g):  # type: ignore[no-untyped-def]
    """The sub-gradient of least norm at x over samples ``[S, d]``; z is room for ``[S]``."""
    zero, many = x.dtype.type(0), float(z.shape[0])
    forward(samples, x, z)
    for s in range(z.shape[0]):
        z[s] = _slope(kind, np.float64(z[s]), np.float64(targets[s])) / many
    g[:] = zero
    backward(samples, z, g)
    for j in range(x.shape[0]):
        smooth = g[j] + l2 * x[j]
        if x[j] > zero:
            g[j] = smooth + l1
        elif x[j] < zero:
            g[j] = smooth - l1
        elif smooth > l1:
            g[j] = smooth - l1
        elif smooth < -l1:
            g[j] = smooth + l1
        else:
            g[j] = zero if smooth == smooth else smooth


@njit(cache=True, nogil=True)
def _least_rows(samples, targets, kind, weights, points, out):  # type: ignore[no-untyped-def]
    z = np.empty(samples.shape[0], samples.dtype)
    for p in range(points.shape[0]):
        _least_row(samples, targets, kind, weights[0], weights[1], points[p], z, out[p])


@njit(cache=True, nogil=True)
def columns(numbers, x, k0, k1, replica, first, g):  # type: ignore[no-untyped-def]
    """The least sub-gradient of all samples, that of every worker: samples ``[S, d]``, targets
    ``[S]``, l1 and l2; the loss."""
    targets, d = numbers[1], x.shape[1]
    samples, z = numbers[0].reshape(targets.shape[0], d), np.empty(targets.shape[0], x.dtype)
    l1, l2 = numbers[2][0], numbers[2][1]
    for i in range(g.shape[0]):
        if i > 0 and x.shape[0] == 1:
            g[i] = g[0]
            continue
        _least_row(samples, targets, numbers[3][0], l1, l2, x[i], z, g[i])


def least_subgradients(
    samples: Tensor, targets: Tensor, kind: int, weights: Tensor, x: Tensor
) -> Tensor:
    """Sub-gradients of least norm at points x ``[..., d]`` on a CPU; ``weights`` are l1 and l2."""
    points = x.reshape(-1, x.shape[-1]).contiguous()
    out = torch.empty_like(points)
    _least_rows(
        samples.contiguous().numpy(), targets.contiguous().numpy(), kind, weights.numpy(),
        points.numpy(), out.numpy(),
    )  # fmt: skip
    return out.view(x.shape)
