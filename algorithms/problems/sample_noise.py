"""Noise of minibatch gradients of a loss that autograd differentiates, sample by sample."""

from __future__ import annotations

from collections.abc import Callable

import torch
from torch import Tensor
from torch.func import vmap

MeanLoss = Callable[[Tensor, Tensor, Tensor], Tensor]
"""From a point ``[d]``, features ``[s, ...]`` and labels ``[s, ...]`` to their mean loss."""


def gradients(loss: Callable[..., Tensor], points: Tensor, *samples: Tensor, chunk: int) -> Tensor:
    """Gradients ``[p, d]`` of ``loss(point, *sample)`` at points ``[p, d]``, each with its own part
    of ``samples`` ``[p, ...]``; ``chunk`` of them are held together.

    By autograd through a vmapped loss: ``torch.func.grad`` loads torch's compiler, a second of
    every process, and takes twice the time.
    """
    each = vmap(loss)
    found = []
    with torch.enable_grad():
        for at, *part in zip(*(torch.split(one, chunk) for one in (points, *samples)), strict=True):
            rows = at.detach().clone().requires_grad_()
            (row,) = torch.autograd.grad(each(rows, *part).sum(), rows, materialize_grads=True)
            found.append(row)
    return torch.cat(found)


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

    def single(point: Tensor, a: Tensor, y: Tensor) -> Tensor:
        return loss(point, a[None], y[None])

    found = []
    for point in x.reshape(-1, x.shape[-1]):
        for a, y in zip(features, labels, strict=True):
            g = gradients(single, point.expand(len(a), -1), a, y, chunk=chunk)
            found.append((g - g.mean(0)).square().sum(-1).mean())
    return torch.stack(found).view(*x.shape[:-1], n) / batch
