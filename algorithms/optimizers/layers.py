"""Norms and ratios layer by layer, over rows that hold a model's tensors one after another."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import torch
from torch import Tensor

from algorithms.kernels.row_norms import norms_of_parts

Shapes = tuple[tuple[int, ...], ...]


@lru_cache(maxsize=64)
def sizes_of(shapes: Shapes, d: int) -> tuple[int, ...]:
    """Lengths of the layers in a row of d numbers.

    Raises:
        ValueError: they do not add up to d.
    """
    sizes = tuple(math.prod(shape) for shape in shapes)
    if sum(sizes) != d:
        raise ValueError(
            f"shapes must hold d={d} numbers in all, got {shapes} with {sum(sizes)}; a problem's "
            "shapes would do"
        )
    return sizes


def layer_norms(x: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """Euclidean norms ``[..., m, layers]`` of the layers of rows ``[..., m, d]``."""
    return norms_of_parts(x, sizes)


def spread(ratios: Tensor, sizes: tuple[int, ...]) -> Tensor:
    """Each layer's number ``[..., m, layers]`` for each of its coordinates, ``[..., m, d]``."""
    parts = [
        ratio.expand(*ratio.shape[:-1], size)
        for ratio, size in zip(torch.split(ratios, 1, -1), sizes, strict=True)
    ]
    return torch.cat(parts, -1)


class Trust(ABC):
    """By how much a layer's move is scaled, given the layer's norm and the move's."""

    @property
    @abstractmethod
    def name(self) -> str:
        """Name in reports, with its parameters."""

    def row_numbers(self) -> tuple[float, float, float, float] | None:
        """:meth:`ratio` as compiled moves know it: 1 and the ratio of all layers, or 0, eta and the
        bounds of phi; None: it is another."""
        return None

    @abstractmethod
    def ratio(self, weights: Tensor, move: Tensor) -> Tensor:
        """Ratios of the shape of both, ``[..., m, layers]``."""


@final
@dataclass(frozen=True)
class NormRatio(Trust):
    r"""eta \phi(\|w\|) / \|move\|, \phi(z) = \min(\max(z, low), high); eta where either is zero.

    A layer that starts at zero (a bias) would else stay there; published code does the same.

    Raises:
        ValueError: eta <= 0, low < 0 or high < low.
    """

    eta: float = 1.0
    low: float = 0.0
    high: float = math.inf

    def __post_init__(self) -> None:
        if not self.eta > 0:
            raise ValueError(f"eta must be positive, got eta={self.eta}")
        if not 0 <= self.low <= self.high:
            raise ValueError(
                f"low and high must be 0 <= low <= high, got low={self.low}, high={self.high}"
            )

    @property
    def name(self) -> str:
        cut = "" if (self.low, self.high) == (0.0, math.inf) else f", [{self.low:g}, {self.high:g}]"
        return f"eta={self.eta:g}{cut}"

    def row_numbers(self) -> tuple[float, float, float, float]:
        return 0.0, self.eta, self.low, self.high

    def ratio(self, weights: Tensor, move: Tensor) -> Tensor:
        size = weights.clamp(self.low, self.high)
        usable = (size > 0) & (move > 0)
        return self.eta * torch.where(usable, size / torch.where(usable, move, 1.0), 1.0)


@final
@dataclass(frozen=True)
class FixedTrust(Trust):
    """The same ratio for all layers: no layer-wise scaling.

    Attributes:
        value: the ratio.
    """

    value: float = 1.0

    @property
    def name(self) -> str:
        return f"trust {self.value:g}"

    def row_numbers(self) -> tuple[float, float, float, float]:
        return 1.0, self.value, 0.0, 0.0

    def ratio(self, weights: Tensor, move: Tensor) -> Tensor:
        return torch.full_like(weights, self.value)
