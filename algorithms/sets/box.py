"""Box: every coordinate between two bounds."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.kernels.change_rows import onto_box
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.sets.base import ConvexSet


@final
@dataclass(frozen=True)
class Box(ConvexSet):
    r"""X = [low, high]^d; :math:`\Pi_X(x)_j = \min(\max(x_j, low), high)`.

    Raises:
        ValueError: bounds that are not finite numbers with low < high.
    """

    low: float
    high: float

    def __post_init__(self) -> None:
        if not (math.isfinite(self.low) and math.isfinite(self.high) and self.low < self.high):
            raise ValueError(
                f"low and high must be finite with low < high, got low={self.low}, high={self.high}"
            )

    @property
    def name(self) -> str:
        return f"box({self.low:g}, {self.high:g})"

    def radius(self, d: int) -> float:
        return math.sqrt(d) * max(abs(self.low), abs(self.high))

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(onto_box, numbers(dtype, self.low, self.high), draws=False)

    def project(self, x: Tensor) -> Tensor:
        return x.clamp(self.low, self.high)
