"""One fixed threshold, values sent as they are (Sahu et al. 2021, arXiv:2108.00951)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.compressors.base import Property
from algorithms.compressors.masked import MaskCompressor
from algorithms.core.key import Draws
from algorithms.kernels.devices import put
from algorithms.kernels.mask_to_indices import above
from theory import bits
from theory.claims import Claim, Confidence, NoConstant, Source

_PAPER = Source("Sahu et al.", 2021, "2108.00951", "Definition of the hard threshold")


@final
@dataclass(frozen=True)
class HardThreshold(MaskCompressor):
    r"""x_j where |x_j| > t, else nothing: index and value of each that is sent.

    No constant: what lies within t is lost whole. The error is bounded absolutely in its place, at
    most t in a coordinate: ||C(x) - x||^2 <= d t^2 for every x, attained where all |x_j| = t.

    Raises:
        ValueError: t is not positive and finite.
    """

    t: float

    properties: ClassVar[frozenset[Property]] = frozenset({Property.ODD, Property.PERMUTATION})

    indices_sent = True
    factor = 1.0

    def __post_init__(self) -> None:
        if not (self.t > 0 and math.isfinite(self.t)):
            raise ValueError(f"t must be positive and finite, got t={self.t}")

    @property
    def name(self) -> str:
        return f"hard threshold(t={self.t:g})"

    def claims(self, d: int) -> tuple[Claim, ...]:
        small, why = (self.t / 2,), "within t everything is lost"
        return (NoConstant(why, _PAPER, Confidence.DERIVED, small, small),)

    def absolute_error(self, d: int) -> float:
        """Coordinates lose at most t each: d t^2."""
        return d * self.t**2

    def mask(self, x: Tensor, draws: Draws) -> Tensor:
        return above(x, put(torch.tensor(self.t, dtype=torch.float64), x.device))

    def mask_again(self, d: int, draws: Draws) -> Tensor:
        raise TypeError(f"{self.name} chooses by value; its indices must be sent")

    def stated_bits(self, d: int, float_bits: int) -> float:
        """The longest: every coordinate is sent."""
        return float(d * (float_bits + bits.index_bits(d)))


EXAMPLES = (HardThreshold(0.5),)
