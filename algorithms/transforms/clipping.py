"""Clipping of gradient entries at multiples of their spread (Wen et al. 2017, arXiv:1705.07878)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.kernels.change_rows import clipped_entries
from algorithms.kernels.row_norms import exact_sqrt
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.transforms.base import Transform


@final
@dataclass(frozen=True)
class ClipEntries(Transform):
    r"""g_j, or sign(g_j) c \sigma where |g_j| > c \sigma, sigma the standard deviation of a layer.

    Eq. 6 of the paper, c = 2.5 there. It narrows the scale of ternary values, and biases them: what
    is cut off does not come back. ``shapes`` are the model's tensors; none: one layer.

    Raises:
        ValueError: c <= 0.
    """

    c: float = 2.5
    shapes: tuple[tuple[int, ...], ...] = ()

    def __post_init__(self) -> None:
        if not self.c > 0:
            raise ValueError(f"c must be positive, got c={self.c}")

    @property
    def name(self) -> str:
        return f"clipped at {self.c:g} sigma"

    def row_kernel(self, d: int, dtype: torch.dtype, n: int) -> RowPart:
        own = numbers(dtype, ints=self._sizes(d), reals=self.c)
        return RowPart(clipped_entries, own, draws=False)

    def _sizes(self, d: int) -> tuple[int, ...]:
        return tuple(math.prod(shape) for shape in self.shapes) or (d,)

    def apply(self, g: Tensor, n: int) -> Tensor:
        parts = torch.split(g, list(self._sizes(g.shape[-1])), -1)
        return torch.cat([self._clipped(part) for part in parts], -1)

    def _clipped(self, part: Tensor) -> Tensor:
        count = part.shape[-1]
        wide = part.to(torch.float64)
        mean = wide.cumsum(-1)[..., -1:] / count
        variance = (wide - mean).square().cumsum(-1)[..., -1:] / count
        limit = (self.c * exact_sqrt(variance)).to(part.dtype)
        flat = variance == 0  # a constant layer has no spread to clip at
        return torch.where(flat, part, torch.maximum(torch.minimum(part, limit), -limit))
