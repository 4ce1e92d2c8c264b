"""Slices of rows against a basis: coefficients and what they stand for, in a fixed order."""

from __future__ import annotations

import torch
from torch import Tensor
from torch.nn.functional import pad

from algorithms.kernels import low_rank


def slices(x: Tensor, length: int) -> Tensor:
    """x ``[..., d]`` cut into slices ``[..., count, length]``, the last padded with zeros."""
    missing = -x.shape[-1] % length
    padded = pad(x, (0, missing)) if missing else x
    return torch.unflatten(padded, -1, (-1, length))


def coefficients(x: Tensor, basis: Tensor) -> Tensor:
    """c = U^T x of every slice: ``[..., count * k]`` for x ``[..., d]``, U ``[..., length, k]``."""
    cut = slices(x, basis.shape[-2])
    found = low_rank.times(cut, _spread(basis, cut))
    return found.flatten(-2)


def restored(c: Tensor, basis: Tensor, d: int) -> Tensor:
    """U c of every slice, ``[..., d]``: the inverse of :func:`coefficients` on the span of U."""
    cut = torch.unflatten(c, -1, (-1, basis.shape[-1]))
    found = low_rank.times(cut, _spread(basis.transpose(-1, -2), cut))
    return found.flatten(-2)[..., :d]


def _spread(basis: Tensor, like: Tensor) -> Tensor:
    return basis.expand(*like.shape[:-2], *basis.shape[-2:])
