"""Transform: a worker's gradient before memory and compressor."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

import torch
from torch import Tensor

from algorithms.kernels.row_parts import RowPart
from theory.fields import CheckedFields


class Transform(CheckedFields, ABC):
    """g -> g' on every row ``[..., m, d]`` of ``n`` workers; frozen dataclasses."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    @abstractmethod
    def apply(self, g: Tensor, n: int) -> Tensor:
        """The transformed rows; g is left as it is."""

    def row_kernel(self, d: int, dtype: torch.dtype, n: int) -> RowPart | None:
        """:meth:`apply` as a compiled function (kind "change" of ``kernels/row_parts.py``), to the
        bit; None: there is none. A subclass publishes its own."""
        return None


@final
@dataclass(frozen=True)
class NoTransform(Transform):
    """No transform: gradients are used as they are."""

    @property
    def name(self) -> str:
        return "gradient as it is"

    def apply(self, g: Tensor, n: int) -> Tensor:
        return g
