"""What a curve shows of its exponent, for readers: window, models, local exponents, an interval."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from proofs_check.instruments.power_laws.average import averaged, pseudo_logs
from proofs_check.instruments.power_laws.models import (
    BURN_IN,
    FLOOR,
    LOGARITHM,
    MODELS,
    POWER,
    ModelFit,
)
from theory.arrays import Floats

LEVEL = 0.95
REJECTED = 0.01  # a model with a smaller p-value does not hold in a window
_FEWEST = 6  # points of a window that is shortened no further
_DROPPED = 4  # a window is shortened by one point in four
_TOLD = 0.02  # least weight of a model that is named
_LEAST_REPLICAS = 6  # for a test of three directions, and a covariance of them


@final
@dataclass(frozen=True)
class ShownRate:
    """The exponent of a curve with its 95% interval, what is not known of the model inside it.

    Attributes:
        low: lower end of the interval.
        high: upper end.
        best: the model of the largest weight.
        weights: weights of the models, in the order of ``models.MODELS``.
        lack: p-value of the power law itself over the window.
        holds: whether any model holds over the window (p at least 0.01).
        first: first x of the window.
        last: last x of the window.
        points: points in the window, of ``offered``.
        offered: points of the curve.
        early: least-squares exponent of the first half of the window.
        late: that of its second half.
        extra: third parameter of the best model (b of a burn-in, a floor as a share of the last
            mean), 0 where it has none.
    """

    low: float
    high: float
    best: str
    weights: tuple[float, ...]
    lack: float
    holds: bool
    first: float
    last: float
    points: int
    offered: int
    early: float
    late: float
    extra: float

    def __str__(self) -> str:
        shares = zip(MODELS, self.weights, strict=True)
        named = ", ".join(f"{name} {w:.2g}" for name, w in shares if w >= _TOLD)
        third = {BURN_IN: f", b = {self.extra:.3g}", FLOOR: f", {self.extra:.0%} of the last mean"}
        verdict = "is rejected" if self.lack < REJECTED else "is not rejected"
        held = "" if self.holds else "; no model holds there"
        return (
            f"95% interval over models [{self.low:.4f}, {self.high:.4f}] ({named}"
            f"{third.get(self.best, '')}) from {self.first:.4g} to {self.last:.4g}, {self.points} "
            f"of {self.offered} points; a pure power law {verdict} (p = {self.lack:.2g}){held}; "
            f"local exponents {self.early:.3f} early, {self.late:.3f} late"
        )


def described(x: Floats, y: Floats) -> ShownRate | None:
    """Of a curve y ``[R, K]`` in x ``[K]``; None below 3 points or 6 replicas, or where a mean
    without one of the replicas is not positive.

    The window is the whole curve, shortened from its start by a quarter of its points at a time as
    long as no model holds in it. It looks at the residuals of fits, not at their exponents.
    """
    offered = len(x)
    if offered < 3 or len(y) < _LEAST_REPLICAS or not np.isfinite(pseudo_logs(y)).all():
        return None
    while True:
        models = _models(x)
        found = averaged(x, y[None], 1 - LEVEL, models)
        holds = float(found.lack.max()) >= REJECTED
        shorter = len(x) - max(1, len(x) // _DROPPED)
        if holds or shorter < _FEWEST:
            break
        x, y = x[-shorter:], y[:, -shorter:]
    names, weights = list(models), found.weights[0]
    place = int(weights.argmax())
    log_y, middle = np.log(y.mean(axis=0)), len(x) // 2
    return ShownRate(
        low=float(found.low[0]),
        high=float(found.high[0]),
        best=names[place],
        weights=tuple(dict(zip(names, weights.tolist(), strict=True)).get(n, 0.0) for n in MODELS),
        lack=float(found.lack[0, names.index(POWER)]),
        holds=holds,
        first=float(x[0]),
        last=float(x[-1]),
        points=len(x),
        offered=offered,
        early=_slope(x[: middle + 1], log_y[: middle + 1]),
        late=_slope(x[middle:], log_y[middle:]),
        extra=float(found.extras[0, place]),
    )


def decided(
    shown: ShownRate | None, x: Floats, y: Floats, alpha: float, straight: tuple[float, float],
    rejected: float = REJECTED,
) -> tuple[float, float]:  # fmt: skip
    """The interval at error ``alpha`` on which an order is decided; ``straight`` is the slope of
    the least-squares line with its half-width.

    That of the line as long as a power law is not ``rejected`` (at 1%) over the whole curve; else
    its hull with the interval over models, so that A x^p log x is not called a wrong p. A floor is
    none of these: a curve that ends on one does not fall as any power, whatever it does before.
    """
    slope, half = straight
    if shown is None:
        return slope - half, slope + half
    models = {name: fit for name, fit in _models(x).items() if name != FLOOR}
    found = averaged(x, y[None], alpha, models)
    if float(found.lack[0, list(models).index(POWER)]) >= rejected:
        return slope - half, slope + half
    return min(slope - half, float(found.low[0])), max(slope + half, float(found.high[0]))


def _models(x: Floats) -> dict[str, ModelFit]:
    """A logarithm is positive, and has one of its own, beyond 1 only."""
    return {name: fit for name, fit in MODELS.items() if name != LOGARITHM or x[0] > 1}


def bound_slope(x: Floats, bound: Floats, points: int) -> float:
    """Least-squares slope of log bound ``[K]`` against log x ``[K]`` over the first ``points``."""
    return _slope(x[:points], np.log(bound[:points]))


def _slope(x: Floats, log_y: Floats) -> float:
    return float(np.polyfit(np.log(x), log_y, 1)[0])
