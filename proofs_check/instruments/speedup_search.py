r"""Longest averaging period that keeps the error within a factor of that of H = 1.

For a method with period H, horizon T and n workers let e(H) be its expected error. The longest
period H* solves e(H*) = 2 e(1), and T / H* rounds are needed for linear speedup. The search
brackets H* by whole periods, all run with the same draws as H = 1, and interpolates log e between
the two ends; a guess near H* needs two runs beside H = 1. Its interval is a grouped jackknife
over replicas (as in :mod:`proofs_check.instruments.rates`), so noise that H and 1 share cancels.
e must grow with H where it crosses.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import final

import numpy as np
import scipy

from proofs_check.instruments.evidence import ALPHA
from theory.arrays import Floats

FACTOR = 2.0
_GROUPS = 64
_NEAR = 1.3  # ends of the bracket differ by no more than this factor, or by one step
_FAR = 1.5  # from one trial to the next, once the guess turned out to be far off

Errors = Callable[[int], Floats]
"""Period H -> errors ``[R]`` of independent replicas; the same replicas for every H."""


@final
@dataclass(frozen=True)
class Longest:
    """``log_period`` is log H*; ``pseudo`` ``[G]`` its jackknife pseudo-values; H* lies in
    ``[low, high]`` except with probability ALPHA; ``runs`` periods were tried. ``saturated``:
    even the longest period allowed keeps the error (at ALPHA), so H* is that one; where
    that is not sure, H* is extrapolated.
    """

    log_period: float
    pseudo: Floats
    low: float
    high: float
    runs: int
    saturated: bool


def longest_period(errors: Errors, guess: int, limit: int, factor: float = FACTOR) -> Longest:
    """The longest period up to ``limit`` whose error is at most ``factor`` times that of H = 1.

    Raises:
        ValueError: guess outside [2, limit].
    """
    if not 2 <= guess <= limit:
        raise ValueError(f"guess must lie in [2, {limit}], got guess={guess}")
    seen = {1: errors(1)}
    target = factor * float(seen[1].mean())

    def within(period: int) -> bool:
        if period not in seen:
            seen[period] = errors(period)
        return float(seen[period].mean()) <= target

    low, high = _bracket(within, guess, limit)
    if low == limit and _surely_within(seen[limit], seen[1], factor):
        pseudo = np.full(_GROUPS, math.log(limit))
        whole = float(pseudo[0])
        return Longest(whole, pseudo, math.exp(whole), math.exp(whole), len(seen), True)
    if low == limit:
        low = max(period for period in seen if period < limit)
    log_period, pseudo = _crossing(low, high, seen, factor)
    half = (
        float(scipy.stats.t.isf(ALPHA / 2, pseudo.size - 1) * pseudo.std(ddof=1)) / pseudo.size**0.5
    )
    low_end, high_end = (math.exp(log_period + sign * half) for sign in (-1, 1))
    return Longest(log_period, pseudo, low_end, high_end, len(seen), False)


def _bracket(within: Callable[[int], bool], guess: int, limit: int) -> tuple[int, int]:
    """Periods low < high around the crossing; (limit, limit) if there is none."""
    low, high = 1, limit
    trial, stride = guess, _NEAR
    while high > low + 1 and (high > _NEAR * low or high == limit):
        if within(trial):
            low = trial
        else:
            high = trial
        if high == limit:
            wanted = math.floor(low * stride)
        elif low == 1:
            wanted = math.ceil(high / stride)
        else:
            wanted = round((low * high) ** 0.5)
        trial, stride = min(max(wanted, low + 1), high - 1), _FAR
        if high == limit and trial >= limit - 1:
            break
    if high == limit and within(limit):
        return limit, limit
    return low, high


def _surely_within(longer: Floats, every: Floats, factor: float) -> bool:
    """Is e at most ``factor`` times that of H = 1, at ALPHA?"""
    gap = factor * every - longer
    half = float(scipy.stats.t.isf(ALPHA, gap.size - 1) * gap.std(ddof=1)) / gap.size**0.5
    return bool(gap.mean() >= half)


def _crossing(low: int, high: int, seen: dict[int, Floats], factor: float) -> tuple[float, Floats]:
    """log H* and its pseudo-values; log of the ratio is taken linear in log H on the bracket."""
    rows = np.stack([seen[1], seen[low], seen[high]])
    groups = min(_GROUPS, rows.shape[1])
    parts = np.array_split(rows, groups, axis=1)
    sums, total = np.stack([part.sum(axis=1) for part in parts]), rows.sum(axis=1)

    def solve(means: Floats) -> Floats:
        base, left, right = np.log(means[..., 0] * factor), *np.log(means[..., 1:].T)
        share = (base - left) / (right - left)
        return np.asarray(math.log(low) + share * math.log(high / low))

    whole = float(solve(total))
    return whole, groups * whole - (groups - 1) * solve(total - sums)
