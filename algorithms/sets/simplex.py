"""Simplex: non-negative coordinates with a given sum."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.kernels.change_rows import onto_simplex
from algorithms.kernels.row_parts import RowPart, numbers
from algorithms.problems.base import require_number
from algorithms.sets.base import ConvexSet


@final
@dataclass(frozen=True)
class Simplex(ConvexSet):
    r"""X = {x >= 0, sum_j x_j = total}; :math:`\Pi_X(x)_j = \max(x_j - \theta, 0)`.

    theta is found from the sorted coordinates (Held, Wolfe, Crowder 1974; Duchi et al. 2008,
    ICML, Figure 1).

    Raises:
        ValueError: total is not positive and finite.
    """

    total: float = 1.0

    def __post_init__(self) -> None:
        require_number("total", self.total, strict=True)

    @property
    def name(self) -> str:
        return f"simplex(total={self.total:g})"

    def radius(self, d: int) -> float:
        return self.total

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(onto_simplex, numbers(dtype, self.total), draws=False)

    def project(self, x: Tensor) -> Tensor:
        ordered = x.sort(-1, descending=True).values
        count = torch.arange(1, x.shape[-1] + 1, dtype=x.dtype, device=x.device)
        shifts = (ordered.cumsum(-1) - self.total) / count
        last = (ordered > shifts).sum(-1, keepdim=True) - 1
        return (x - shifts.gather(-1, last)).clamp_min(0)
