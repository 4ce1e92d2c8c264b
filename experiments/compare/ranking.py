"""Ranking in a comparison: errors at a budget, and whether chance explains them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import scipy

from algorithms.engine.replicas import centre
from algorithms.engine.trace import Trace
from proofs_check.instruments.reaching import reached_at
from theory.arrays import Floats

_ROUNDING = 1e-9  # of an error: what differs less is the same
CHANCE = 0.05
"""Error of all tests of a comparison together."""

_POWER = 0.9  # with which a difference is found
_NO_EFFECT = 1e-3  # standard deviations: a million replicas would be needed


class Entrant(NamedTuple):
    """One row in the comparison.

    Attributes:
        key: the row's key.
        description: its stepsize, and what tuned it.
        x: what was spent at each record ``[R, K]``.
        error: the error at each record ``[R, K]``.
        quantity: what the error is.
        trace: the whole run; None where only the error is known.
    """

    key: str
    description: str
    x: Floats
    error: Floats
    quantity: str = "error"
    trace: Trace | None = None


class ComparedRow(NamedTuple):
    """Result of the comparison for a row.

    Attributes:
        key: the row's key.
        error: mean error at the budget; the median where errors have no mean.
        low: lower end of its 95% interval.
        high: upper end of it.
        ratio: error over that of the best.
        p: of the paired test against the best, times the number of pairs; NaN for the best itself.
        spent: what it spends until that error first is at most the target, infinite if never.
        description: its stepsize, and what tuned it.
        enough: replicas that would tell it from the best; NaN where it is, or nothing tells.
    """

    key: str
    error: float
    low: float
    high: float
    ratio: float
    p: float
    spent: float
    description: str
    enough: float = math.nan

    @property
    def half_width(self) -> float:
        """Half of the interval's length."""
        return (self.high - self.low) / 2

    @property
    def verdict(self) -> str:
        """Standing of the row, in words."""
        if math.isnan(self.p):
            return "best"
        return "worse" if self.p <= CHANCE else "not told apart from the best"


def error_at(one: Entrant, budget: float) -> Floats:
    """Its error ``[R]`` at the last record at which at most ``budget`` was spent."""
    place = np.maximum((one.x <= budget * (1 + 1e-9)).sum(axis=1) - 1, 0)
    return np.asarray(one.error[np.arange(len(one.error)), place])


def paired(mine: Floats, best: Floats, pairs: int, heavy: bool = False) -> float:
    """p of equal means, times the number of pairs; NaN for the best itself. Where tails are
    ``heavy``, p of a sign test: that either is as often ahead as the other."""
    if mine is best:
        return math.nan
    if np.allclose(mine, best, rtol=_ROUNDING, atol=0):
        return 1.0
    if heavy:
        apart = (mine != best).sum()
        return min(
            1.0, pairs * float(scipy.stats.binomtest(int((mine > best).sum()), int(apart)).pvalue)
        )
    if not (mine - best).std() > 0:
        return 0.0
    return min(1.0, pairs * float(scipy.stats.ttest_rel(mine, best).pvalue))


def enough_replicas(mine: Floats, best: Floats, pairs: int) -> float:
    """Replicas with which a paired t test for ``pairs`` pairs finds the difference that these show,
    nine times in ten if it is the true one; NaN where they show none."""
    difference = mine - best
    spread = float(difference.std(ddof=1))
    effect = abs(float(difference.mean())) / spread if spread > 0 else 0.0
    if not effect > _NO_EFFECT:
        return math.nan
    level = CHANCE / max(pairs, 1)

    def found(replicas: float) -> float:
        limit = scipy.stats.t.isf(level / 2, replicas - 1)
        return float(scipy.stats.nct.sf(limit, replicas - 1, effect * replicas**0.5)) - _POWER

    least, most = 2.0, 4.0
    while found(most) < 0:
        least, most = most, 2 * most
    if most == 4.0 and found(least) >= 0:
        return least
    return float(math.ceil(scipy.optimize.brentq(found, least, most, xtol=0.1)))


def spent_to(one: Entrant, target: float, heavy: bool = False) -> float:
    """Cost until its mean error (median, where tails are ``heavy``) reaches ``target``;
    infinite if it never does."""
    at = int(reached_at(centre(one.error, heavy), target * (1 + 1e-12)))
    return float(one.x.mean(axis=0)[at]) if at >= 0 else math.inf
