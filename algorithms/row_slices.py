"""Long rows slice by slice, so that what is computed on the way is never held for a whole row."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import torch
from torch import Tensor

SLICE = 1 << 14
"""Coordinates that are treated together."""


def row_slices(d: int, size: int = 0) -> Iterator[slice]:
    """The slices of d coordinates, in order, of ``size`` each; 0: of ``SLICE``."""
    size = size or SLICE
    return (slice(start, min(start + size, d)) for start in range(0, d, size))


def mask_by_slices(x: Tensor, told: Callable[[Tensor], Tensor]) -> Tensor:
    """Mask ``[..., m, d]`` of rows x by what is ``told`` of each coordinate."""
    mask = torch.empty(x.shape, dtype=torch.bool, device=x.device)
    for here in row_slices(x.shape[-1]):
        mask[..., here] = told(x[..., here])
    return mask


def highest(x: Tensor, count: Tensor) -> Tensor:
    """Mask of the ``count`` ``[..., m, 1]`` highest of rows ``[..., m, d]`` without NaN.

    Of equals the lower index goes first. Beside x one row is held, and masks.
    """
    if x.is_cuda:
        ordered = x.sort(dim=-1).values
    else:
        ordered = x.clone(memory_format=torch.contiguous_format)
        ordered.numpy().sort(axis=-1)
    least = ordered.gather(-1, (x.shape[-1] - count).clamp(0, x.shape[-1] - 1))
    del ordered
    mask = x > least
    ties = count - mask.sum(-1, keepdim=True)
    for here in row_slices(x.shape[-1]):
        tied = x[..., here] == least
        mask[..., here] |= tied & (tied.cumsum(-1) <= ties)
        ties = ties - tied.sum(-1, keepdim=True)
    return mask
