"""ConvexSet: where models may be."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.kernels.row_parts import RowPart, no_change, numbers


class ConvexSet(ABC):
    """A closed convex set in R^d with its exact projection; members are frozen dataclasses.

    ``radius`` [x] is the largest distance of a point from 0 (infinite where there is none).
    """

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    @abstractmethod
    def radius(self, d: int) -> float:
        """The largest norm of a point in R^d."""

    def contains(self, x: Tensor) -> bool:
        """Whether the point ``[d]`` lies in the set, to rounding."""
        return bool(torch.allclose(self.project(x[None])[0], x, rtol=1e-9, atol=1e-12))

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart | None:
        """:meth:`project` as a compiled function (kind "change" of ``kernels/row_parts.py``), to
        the bit; None: there is none. A subclass publishes its own."""
        return None

    @abstractmethod
    def project(self, x: Tensor) -> Tensor:
        r"""The nearest points :math:`\Pi_X(x)` of rows ``[..., m, d]``, row by row."""


@final
@dataclass(frozen=True)
class Unconstrained(ConvexSet):
    """X = R^d: models are not constrained."""

    @property
    def name(self) -> str:
        return "R^d"

    def radius(self, d: int) -> float:
        return float("inf")

    def row_kernel(self, d: int, dtype: torch.dtype) -> RowPart:
        return RowPart(no_change, numbers(dtype), draws=False)

    def project(self, x: Tensor) -> Tensor:
        return x
