"""Equality of the laws of two samples: Kolmogorov and Smirnov's test, exact for every law."""

from __future__ import annotations

import math
from typing import NamedTuple, final

import numpy as np
import scipy

from theory.arrays import Floats

ERROR = 1e-9
"""Probability at most that samples of one law are called different."""


@final
class LawFound(NamedTuple):
    """What two samples say of their laws.

    Attributes:
        same: whether nothing speaks against one law, up to the shift.
        distance: largest one-sided distance of their distribution functions, after the shift.
        limit: distance from which on they are called different.
        shift: by how much either may be moved [unit of the values].
    """

    same: bool
    distance: float
    limit: float
    shift: float


def same_law(one: Floats, other: Floats, shift: float = 0.0, error: float = ERROR) -> LawFound:
    """Whether ``one`` ``[R]`` and ``other`` ``[S]``, all independent, may be of one law, either
    moved by at most ``shift``.

    Two one-sided tests of Kolmogorov and Smirnov, each at half of ``error``: that neither sample is
    beyond the other moved towards it. Ties make the exact p-value too large, never too small.
    (Smirnov 1939; exact distribution: Hodges 1958, Arkiv foer Matematik 3, 469-486.)

    Raises:
        ValueError: a sample is empty or not finite.
    """
    for name, sample in (("one", one), ("other", other)):
        if not sample.size or not np.isfinite(sample).all():
            raise ValueError(f"{name} must hold finite numbers, got {sample}")
    found = [
        scipy.stats.ks_2samp(one + shift, other, alternative="greater", method="exact"),
        scipy.stats.ks_2samp(one - shift, other, alternative="less", method="exact"),
    ]
    p = min(float(side.pvalue) for side in found)
    distance = max(float(side.statistic) for side in found)
    return LawFound(p >= error / 2, distance, _limit(one.size, other.size, error / 2), shift)


def _limit(one: int, other: int, error: float) -> float:
    """Distance that Smirnov's one-sided law exceeds with probability ``error``, for large sizes."""
    return min(1.0, math.sqrt(-math.log(error) * (one + other) / (2 * one * other)))
