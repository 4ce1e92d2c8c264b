"""Ball: all points within a distance of 0."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.kernels.change_rows import onto_ball
from algorithms.kernels.row_norms import norms
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.problems.base import require_number
from algorithms.sets.base import ConvexSet


@final
@dataclass(frozen=True)
class Ball(ConvexSet):
    r"""X = {||x|| <= size}; :math:`\Pi_X(x) = x \min(1, size / \|x\|)`, ``size`` [x].

    Raises:
        ValueError: size is not positive and finite.
    """

    size: float

    def __post_init__(self) -> None:
        require_number("size", self.size, strict=True)

    @property
    def name(self) -> str:
        return f"ball(size={self.size:g})"

    def radius(self, d: int) -> float:
        return self.size

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(onto_ball, numbers(dtype, self.size), draws=False)

    def project(self, x: Tensor) -> Tensor:
        lengths = norms(x)
        return torch.where(lengths > self.size, x * (self.size / lengths), x)
