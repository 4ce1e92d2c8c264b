"""Slopes of losses over rows of scores; a row's bits do not depend on the rows beside it.

Vectorised exponentials of array libraries may differ in the last bit from their scalar tails, so a
sample's slope would depend on where its row lies. Here every sample goes through the same scalar
code; on a device it is torch's.
"""

from __future__ import annotations

import math

import torch
from torch import Tensor

from algorithms.kernels.compiled import njit


@njit(cache=True, nogil=True)
def _sigmoid(z):  # type: ignore[no-untyped-def]
    e = math.exp(-abs(z))
    return 1.0 / (1.0 + e) if z >= 0.0 else e / (1.0 + e)


@njit(cache=True, nogil=True)
def logistic_slope(v, y):  # type: ignore[no-untyped-def]
    """-y / (1 + e^{yv}) of doubles."""
    return -y * _sigmoid(-y * v)


@njit(cache=True, nogil=True)
def sigmoid_slope(v, y):  # type: ignore[no-untyped-def]
    """-y s (1 - s), s = 1/(1 + e^{-yv}), of doubles."""
    share = _sigmoid(y * v)
    return -y * (share * (1.0 - share))


@njit(cache=True, nogil=True)
def _logistic(v, y, out):  # type: ignore[no-untyped-def]
    for i in range(v.shape[0]):
        for s in range(v.shape[1]):
            out[i, s] = logistic_slope(v[i, s], y[s])


@njit(cache=True, nogil=True)
def _falling(v, y, out):  # type: ignore[no-untyped-def]
    for i in range(v.shape[0]):
        for s in range(v.shape[1]):
            out[i, s] = sigmoid_slope(v[i, s], y[s])


def logistic_slopes(v: Tensor, y: Tensor) -> Tensor:
    """-y / (1 + e^{yv}) for scores v ``[..., S]`` and labels y ``[S]``, computed in float64."""
    if not v.is_cpu:
        y = y.double()
        return (-y * torch.sigmoid(-y * v.double())).to(v)
    rows, labels, out = _prepared(v, y)
    _logistic(rows.numpy(), labels.numpy(), out.numpy())
    return out.view(v.shape).to(v)


def sigmoid_slopes(v: Tensor, y: Tensor) -> Tensor:
    """-y s (1 - s), s = 1/(1 + e^{-yv}), for scores v ``[..., S]`` and labels y ``[S]``."""
    if not v.is_cpu:
        y = y.double()
        share = torch.sigmoid(y * v.double())
        return (-y * (share * (1.0 - share))).to(v)
    rows, labels, out = _prepared(v, y)
    _falling(rows.numpy(), labels.numpy(), out.numpy())
    return out.view(v.shape).to(v)


def _prepared(v: Tensor, y: Tensor) -> tuple[Tensor, Tensor, Tensor]:
    """Rows ``[P, S]`` and labels in double precision; room for the result."""
    rows = v.detach().double().contiguous().reshape(-1, v.shape[-1])
    return rows, y.double().contiguous(), torch.empty_like(rows)
