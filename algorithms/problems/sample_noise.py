"""Noise of minibatch gradients of a loss that autograd differentiates, sample by sample."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.func import grad, vmap

MeanLoss = Callable[[Tensor, Tensor, Tensor], Tensor]
"""From a point ``[d]``, features ``[s, ...]`` and labels ``[s, ...]`` to their mean loss."""


def minibatch_noise(
    loss: MeanLoss, x: Tensor, features: Tensor, labels: Tensor, batch: int, chunk: int
) -> Tensor:
    """(1/b) (mean_s ||g_s||^2 - ||mean_s g_s||^2) ``[..., n]`` of each worker at points x
    ``[..., d]``, for minibatches of b = ``batch`` drawn with replacement; 0 where all are taken.

    ``features`` and ``labels`` are ``[n, S, ...]``; ``chunk`` gradients are held together.
    """
    n = len(features)
    if batch == 0:
        return torch.zeros((*x.shape[:-1], n), dtype=x.dtype, device=x.device)

    def one(point: Tensor, a: Tensor, y: Tensor) -> Tensor:
        g: Tensor = grad(loss)(point, a[None], y[None])
        return g

    single = vmap(one, in_dims=(None, 0, 0), chunk_size=chunk)
    found = []
    for point in x.reshape(-1, x.shape[-1]):
        for a, y in zip(features, labels, strict=True):
            g = single(point, a, y)
            found.append((g - g.mean(0)).square().sum(-1).mean())
    return torch.stack(found).view(*x.shape[:-1], n) / batch
