"""Classes of functions by their interpolation conditions, necessary and sufficient for the class.

Points, gradients and values (x_k, g_k, f_k) come from a function of the class exactly where these
hold between all pairs (Taylor, Hendrickx, Glineur 2017, Mathematical Programming 161,
arXiv:1502.05666, Theorem 4 and Section 3).
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations
from typing import NamedTuple, final

from proofs_check.worst_case.gram import Expression, Vector


class SampledPoint(NamedTuple):
    """A function at a point.

    Attributes:
        x: the point.
        g: a gradient or subgradient there.
        f: the value there.
    """

    x: Vector
    g: Vector
    f: Expression


class FunctionClass(ABC):
    """Functions that a statement allows."""

    @abstractmethod
    def pair(self, a: SampledPoint, b: SampledPoint) -> Expression:
        """What is at most 0 for the function at two points."""

    def single(self, a: SampledPoint) -> Iterator[Expression]:
        """What is at most 0 at every point."""
        yield from ()

    def conditions(self, samples: Sequence[SampledPoint]) -> Iterator[Expression]:
        """All that is at most 0 for a function of the class with these values."""
        for a, b in permutations(samples, 2):
            yield self.pair(a, b)
        for a in samples:
            yield from self.single(a)


@final
@dataclass(frozen=True)
class Smooth(FunctionClass):
    """L-smooth with curvature at least ``mu``: convex for 0, non-convex for -L.

    Attributes:
        L: the Lipschitz constant of the gradient [f / x^2].
        mu: the least curvature [f / x^2], from -L to below L.

    Raises:
        ValueError: mu outside [-L, L).
    """

    L: float
    mu: float = 0.0

    def __post_init__(self) -> None:
        if not 0 < self.L < math.inf or not -self.L <= self.mu < self.L:
            raise ValueError(f"mu must lie in [-L, L), got mu={self.mu}, L={self.L}")

    def pair(self, a: SampledPoint, b: SampledPoint) -> Expression:
        x, g = a.x - b.x, a.g - b.g
        bent = g.square / self.L + self.mu * x.square - (2 * self.mu / self.L) * (g @ x)
        return b.f - a.f + b.g @ x + bent / (2 * (1 - self.mu / self.L))


@final
@dataclass(frozen=True)
class Lipschitz(FunctionClass):
    """Convex, every subgradient at most ``radius`` long.

    Attributes:
        radius: the largest length of a subgradient [f / x].
    """

    radius: float

    def pair(self, a: SampledPoint, b: SampledPoint) -> Expression:
        return b.f - a.f + b.g @ (a.x - b.x)

    def single(self, a: SampledPoint) -> Iterator[Expression]:
        yield a.g.square - self.radius**2
