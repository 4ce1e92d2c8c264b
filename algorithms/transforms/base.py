"""Transform: a worker's gradient before memory and compressor."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import final

from torch import Tensor


class Transform(ABC):
    """g -> g' on every row ``[..., m, d]`` of ``n`` workers; frozen dataclasses."""

    @property
    @abstractmethod
    def name(self) -> str:
        """What reports call it, with its parameters."""

    @abstractmethod
    def apply(self, g: Tensor, n: int) -> Tensor:
        """The transformed rows; g is left as it is."""


@final
@dataclass(frozen=True)
class NoTransform(Transform):
    """No transform: gradients are used as they are."""

    @property
    def name(self) -> str:
        return "gradient as it is"

    def apply(self, g: Tensor, n: int) -> Tensor:
        return g
