"""Long rows slice by slice, so that what is computed on the way is never held for a whole row."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator

import torch
from torch import Tensor

from algorithms.core.key import Draws
from algorithms.kernels import top_values
from algorithms.kernels.compiled import by_torch

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
    if not by_torch(x):
        return top_values.highest(x, count)
    ordered = x.sort(dim=-1).values
    least = ordered.gather(-1, (x.shape[-1] - count).clamp(0, x.shape[-1] - 1))
    del ordered
    mask = x > least
    ties = count - mask.sum(-1, keepdim=True)
    for here in row_slices(x.shape[-1]):
        tied = x[..., here] == least
        mask[..., here] |= tied & (tied.cumsum(-1) <= ties)
        ties = ties - tied.sum(-1, keepdim=True)
    return mask


def largest_drawn(draws: Draws, d: int, k: int, deviations: float = 8.0) -> Tensor:
    """Mask ``[..., 1, d]`` of the k largest of d uniforms of one row, ties to the lowest index.

    What ``selection.largest`` finds among ``draws.uniform(d, torch.float64)``, which are never
    held: only those near the quantile are looked at again, ``deviations`` standard deviations to
    each side; where these do not reach (eight: chance 1e-14) all are.
    """
    p = 1 - k / d
    near = deviations * math.sqrt(max(p * (1 - p), 1 / d) / d)
    for low, high in ((p - near, p + near), (-1.0, 2.0)):
        mask = torch.empty((*draws.workers.shape, d), dtype=torch.bool, device=draws.workers.device)
        places, values = [], []
        for here, u in draws.uniform_parts(d, torch.float64):
            mask[..., here] = u >= high
            open_ = ((u >= low) & (u < high)).view(-1).nonzero()[:, 0]
            places.append(open_ + here.start)
            values.append(u.view(-1)[open_])
        left = k - int(mask.sum())
        place, value = torch.cat(places), torch.cat(values)
        if 0 <= left <= len(place):
            break
    order = value.sort(descending=True, stable=True).indices[:left]
    mask.view(-1)[place[order]] = True
    return mask
