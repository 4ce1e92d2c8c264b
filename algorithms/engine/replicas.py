"""Typical value of replicas, with an interval: the one rule of runs, comparisons and tunings."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import scipy

from theory.arrays import Floats

LEVEL = 0.95
"""Level of the intervals that are shown."""

NO_MEAN = "noise here has no variance, so errors have no mean"
"""What is said of errors where tails are heavy."""

HEAVY = f"{NO_MEAN}: medians, between order statistics that hold for any law"
"""What is said where medians stand for means."""


class ReplicaSummary(NamedTuple):
    """Typical value of replicas, each ``[K]``.

    Attributes:
        at: their mean, or their median.
        low: lower end of its 95% interval; NaN or minus infinity where they are too few for one.
        high: upper end; NaN or infinity there.
    """

    at: Floats
    low: Floats
    high: Floats


def centre(errors: Floats, heavy: bool) -> Floats:
    """Of ``[R, K]``: the mean over replicas; where tails are ``heavy`` the median."""
    middles: Floats = np.median(errors, axis=0) if heavy else errors.mean(axis=0)
    return middles


def middle(errors: Floats, heavy: bool) -> ReplicaSummary:
    """Of ``[R, K]``: the mean with Student's interval; where tails are ``heavy`` the median,
    between two order statistics that hold it whatever the law (binomial; from 6 replicas on)."""
    if not heavy:
        mean, half = interval(errors)
        return ReplicaSummary(mean, mean - half, mean + half)
    replicas, ordered = len(errors), np.sort(errors, axis=0)
    below = int(scipy.stats.binom.ppf((1 - LEVEL) / 2, replicas, 0.5))
    unknown = np.full(ordered.shape[1:], np.inf)
    low, high = (-unknown, unknown) if below < 1 else (ordered[below - 1], ordered[-below])
    return ReplicaSummary(centre(errors, heavy), low, high)


def interval(values: Floats) -> tuple[Floats, Floats]:
    """Mean over replicas of ``[R, K]`` and the half-width of its 95% t interval, NaN for R = 1."""
    replicas = values.shape[0]
    mean = values.mean(axis=0)
    if replicas < 2:
        return mean, np.full_like(mean, np.nan)
    quantile = float(scipy.special.stdtrit(replicas - 1, (1 + LEVEL) / 2))
    return mean, quantile * values.std(axis=0, ddof=1) / replicas**0.5
