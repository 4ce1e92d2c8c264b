"""Rounding on a range that shrinks from step to step, for what converges faster than that."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import ClassVar, final

import torch
from torch import Tensor

from algorithms.codes.base import Layout, Symbols
from algorithms.compressors.base import Compressor, Property
from algorithms.compressors.nearest_grid import FixedRange
from algorithms.compressors.requirements import OutOfRange
from algorithms.core.key import Draws
from theory.claims import Claim

_LEAST = 1e-12


@final
@dataclass(frozen=True)
class ZoomingRange(Compressor):
    r"""At step t the nearest of 2^b - 1 points from -R_t to R_t, R_t = ``radius`` ``shrink``^t.

    The scaling function g(t) of Li, Fu, Xie, Zhang 2011 (Distributed consensus with limited
    communication data rate, IEEE TAC 56(2)): with it CHOCO-Gossip is their protocol, which agrees
    on the mean at b bits a coordinate and step (:mod:`theory.networks.zooming` has the smallest
    ``shrink`` and the range to start from). Within (1 + c) R_t, c = 1/(2^b - 2), no coordinate is
    off by more than c R_t; beyond, the range has shrunk too fast and the message is refused. The
    range stops at 1e-12 of the first, where floats end.

    Raises:
        ValueError: b outside [2, 16], a radius that is not positive, or shrink outside (0, 1].
        OutOfRange: a coordinate is beyond the range of its step (when compressing).
    """

    radius: float
    b: int = 4
    shrink: float = 0.99
    t: int = 0

    properties: ClassVar[frozenset[Property]] = frozenset({Property.PERMUTATION})

    def __post_init__(self) -> None:
        if not 0 < self.shrink <= 1:
            raise ValueError(f"shrink must lie in (0, 1], got shrink={self.shrink}")
        self.grid()

    def grid(self) -> FixedRange:
        """The grid that step t rounds to."""
        return FixedRange(self.radius * max(self.shrink**self.t, _LEAST), self.b)

    @property
    def name(self) -> str:
        return f"zooming range(R={self.radius:.3g}, b={self.b}, {self.shrink:g}^t)"

    def at_step(self, t: int) -> Compressor:
        return replace(self, t=t)

    def claims(self, d: int) -> tuple[Claim, ...]:
        return self.grid().claims(d)

    def layout(self, d: int, dtype: torch.dtype) -> Layout:
        return self.grid().layout(d, dtype)

    def encode(self, x: Tensor, draws: Draws) -> Symbols:
        """The nearest points of this step's grid.

        Raises:
            OutOfRange: an entry lies beyond the range of this step.
        """
        grid = self.grid()
        symbols, reach = grid.encode(x, draws), grid.radius * (1 + 1 / ((1 << self.b) - 2))
        if bool((x.abs() > reach).any()):
            raise OutOfRange(
                f"{self.name} reaches {reach:.4g} at step {self.t}, got max |x| = "
                f"{x.abs().max().item():.4g}; a wider start or a shrink nearer to 1 would do"
            )
        return symbols

    def decode(self, symbols: Symbols, d: int, dtype: torch.dtype, draws: Draws) -> Tensor:
        return self.grid().decode(symbols, d, dtype, draws)

    def stated_bits(self, d: int, float_bits: int) -> float:
        return self.grid().stated_bits(d, float_bits)
