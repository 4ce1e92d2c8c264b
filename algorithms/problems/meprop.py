"""meProp: back propagation of the largest errors only (Sun, Ren, Ma, Wang 2017, 1706.06197)."""

from __future__ import annotations

import math

import torch
from torch import Tensor

from algorithms.compressors.requirements import kept
from algorithms.core.key import Draws
from algorithms.kernels import selection
from algorithms.problems.mlp import MLP


def errors(problem: MLP, x: Tensor, features: Tensor, labels: Tensor) -> tuple[Tensor, ...]:
    r"""Back propagation by hand at points ``[P, d]``, samples ``[P, s, p]``, labels ``[P, s]``.

    Returns the hidden layer's output ``[P, s, h]``, the error of the output layer
    $\delta_2 = (softmax - onehot) / s$ ``[P, s, classes]`` and that of the hidden layer,
    $\delta_1 = (\delta_2 W_2)(1 - \tanh^2)$ ``[P, s, h]``.
    """
    sizes = [math.prod(shape) for shape in problem.shapes]
    w1, b1, w2, b2 = (
        part.reshape(-1, *shape)
        for part, shape in zip(torch.split(x, sizes, -1), problem.shapes, strict=True)
    )
    hidden = torch.tanh(features @ w1.transpose(-1, -2) + b1[:, None])
    scores = hidden @ w2.transpose(-1, -2) + b2[:, None]
    target = torch.nn.functional.one_hot(labels, problem.classes).to(x.dtype)
    outer = (scores.softmax(-1) - target) / labels.shape[-1]
    return hidden, outer, (outer @ w2) * (1 - hidden * hidden)


def sparsified(error: Tensor, k: int | float, unified: bool) -> Tensor:
    """Errors ``[P, s, h]`` with k of the h entries left: by sample, or the same for all samples.

    Unified meProp keeps the entries whose mean magnitude over the minibatch is largest.
    """
    count = kept(k, error.shape[-1])
    size = error.abs().mean(-2, keepdim=True).expand_as(error) if unified else error
    chosen = selection.largest(size.contiguous(), count)
    return torch.zeros_like(error).scatter_(-1, chosen, error.gather(-1, chosen))


def gradient(
    problem: MLP, x: Tensor, draws: Draws, k: int | float, *, unified: bool = False
) -> Tensor:
    """Stochastic gradients ``[..., m, d]`` with the hidden layer's error cut to its k largest.

    The minibatch is that of ``problem.gradient`` with the same draws; k = 1.0 gives its gradient.
    With ``unified`` the result is that gradient with whole rows of W_1 and b_1 zero: what
    :class:`~algorithms.compressors.row_top_k.RowTopK` does to it, with the rows chosen by error.
    """
    index = draws.integers(problem.features.shape[1], problem.batch)
    rows = draws.workers[..., None]
    features, labels = problem.features[rows, index], problem.labels[rows, index]
    lead = labels.shape[:-1]
    points = x.expand(*lead, problem.d).reshape(-1, problem.d)
    flat = features.reshape(-1, *features.shape[-2:])
    hidden, outer, inner = errors(problem, points, flat, labels.reshape(-1, labels.shape[-1]))
    inner = sparsified(inner, k, unified)
    parts = (
        inner.transpose(-1, -2) @ flat,
        inner.sum(-2),
        outer.transpose(-1, -2) @ hidden,
        outer.sum(-2),
    )
    return torch.cat([part.flatten(1) for part in parts], -1).reshape(*lead, problem.d)
