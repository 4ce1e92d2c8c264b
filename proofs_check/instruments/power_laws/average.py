r"""The exponent of a curve with what is not known of its model inside the interval.

Each model is fitted to log E y, bias and covariance of which come from the jackknife over replicas;
what it leaves of slope, curvature and third and fourth differences is tested by Hotelling's T^2 (a
profile likelihood, so that the covariance need not be known). Models are weighted by that
likelihood, those with a third parameter less by the share of its prior range that the data leave
(Occam's factor). Models whose weight is alpha of the best one's or more are kept, and none is taken
to be nearer the truth than another: the exponent is known up to a set, that of the kept models'
exponents, and the interval is that of Imbens and Manski (2004, Econometrica 72, equation 7), which
holds the exponent of each of them with probability 1 - alpha. Where the set is far wider than
errors of fits, its ends are one-sided limits; where one model is kept, it is Student's t.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
import scipy

from proofs_check.instruments.power_laws.models import (
    BURN_IN,
    FLOOR,
    LOGARITHM,
    MODELS,
    POWER,
    FittedModel,
    ModelFit,
)
from theory.arrays import Floats

_TINY = float(np.finfo(np.float64).tiny)
_FEW = 12  # replicas below which fourth differences are left out
_PRIOR = 0.5  # how far a third parameter is expected to move the exponent
_BISECTIONS, _ROUNDS = 50, 4
_ROUNDED = 1e-14  # of a covariance: points that are one but for rounding leave it singular
_EXACT = 1e-12  # least standard error of an exponent, and of what a model leaves


class Averaged(NamedTuple):
    """N curves, the models in the order of :data:`MODELS`.

    Attributes:
        low: lower ends of the intervals ``[N]``.
        high: upper ends ``[N]``.
        weights: of the models ``[N, M]``.
        exponents: of the models ``[N, M]``.
        errors: standard errors of these ``[N, M]``.
        lack: p-values of the test that the model holds ``[N, M]``.
        extras: third parameters ``[N, M]``.
    """

    low: Floats
    high: Floats
    weights: Floats
    exponents: Floats
    errors: Floats
    lack: Floats
    extras: Floats


def pseudo_logs(y: Floats) -> Floats:
    """Jackknife pseudo-values of log mean y, of y ``[..., R, K]``; NaN where a mean without one
    replica is not positive."""
    replicas = y.shape[-2]
    total = y.sum(axis=-2, keepdims=True)
    without = (total - y) / (replicas - 1)
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(replicas * np.log(total / replicas) - (replicas - 1) * np.log(without))


def averaged(
    x: Floats,
    y: Floats,
    alpha: float,
    models: Mapping[str, ModelFit] = MODELS,
) -> Averaged:
    """Exponents of N curves y ``[N, R, K]``, R replicas each, in x ``[K]``, K at least 4."""
    replicas, points = y.shape[1:]
    values = pseudo_logs(y)
    log_y = values.mean(axis=1)
    spread = (values - log_y[:, None]) / np.sqrt(replicas * (replicas - 1.0))
    u = np.log(x)
    orders = min(points - 1, 3 if replicas < _FEW else 4)
    shapes = np.linalg.qr(np.vander(u - u.mean(), orders + 1, increasing=True))[0][:, 1:]
    fits = [model(x, log_y) for model in models.values()]
    judged = [_judged(fit, spread, shapes) for fit in fits]
    exponents = np.stack([fit.exponent for fit in fits], axis=1)
    errors = np.stack([error for error, *_ in judged], axis=1)
    left = np.stack([statistic for _, statistic, _ in judged], axis=1)
    free = np.array([degrees for *_, degrees in judged])
    extra = np.array([fit.jacobian.shape[-1] > 2 for fit in fits])
    occam = np.log1p((_PRIOR / errors) ** 2) * extra
    deviance = replicas * np.log1p(left / (replicas - 1)) + occam
    weights = np.exp(-(deviance - deviance.min(axis=1, keepdims=True)) / 2)
    weights /= weights.sum(axis=1, keepdims=True)
    kept = weights >= alpha * weights.max(axis=1, keepdims=True)
    low, high = _ends(kept, exponents, errors, replicas - 1, alpha)
    return Averaged(
        low, high, weights, exponents, errors, _lack(left, free, replicas),
        np.stack([fit.extra for fit in fits], axis=1),
    )  # fmt: skip


def _judged(fit: FittedModel, spread: Floats, shapes: Floats) -> tuple[Floats, Floats, int]:
    """Standard error of the exponent, T^2 of what the model leaves, and its degrees of freedom."""
    size = np.sqrt((fit.jacobian**2).sum(axis=1)) + _TINY
    unit = fit.jacobian / size[:, None]
    weight = np.linalg.pinv(unit, rcond=1e-7)[:, 1] / size[:, 1, None]
    error = np.sqrt(((spread @ weight[..., None])[..., 0] ** 2).sum(axis=-1))
    parameters = unit.shape[-1] - 1
    directions = np.linalg.svd(shapes.T @ unit, full_matrices=True)[0][:, :, parameters:]
    degrees = directions.shape[-1]
    if not degrees:
        return error + _EXACT, np.zeros(len(error)), 0
    left = ((fit.residual @ shapes)[:, None] @ directions)[:, 0]
    rows = spread @ shapes @ directions
    covariance = rows.transpose(0, 2, 1) @ rows
    least = _EXACT**2 + _ROUNDED * np.trace(covariance, axis1=1, axis2=2)
    covariance += least[:, None, None] * np.eye(degrees)
    statistic = (left * np.linalg.solve(covariance, left[..., None])[..., 0]).sum(axis=-1)
    return error + _EXACT, statistic, degrees


def _lack(statistic: Floats, free: Floats, replicas: int) -> Floats:
    """p-values of Hotelling's T^2; one where nothing is left to test."""
    rest = np.maximum(replicas - free, 1)
    ratio = statistic * rest / ((replicas - 1) * np.maximum(free, 1))
    tested = (free > 0) & (replicas > free)
    return np.where(tested, scipy.stats.f.sf(ratio, np.maximum(free, 1), rest), 1.0)


def _ends(
    kept: Floats, centres: Floats, errors: Floats, df: int, alpha: float
) -> tuple[Floats, Floats]:
    """The ends ``[N]`` between which every ``kept`` centre ``[N, M]`` lies but for alpha."""
    rows = np.arange(len(centres))
    reach = np.full(len(centres), float(scipy.stats.t.isf(alpha / 2, df)))
    for _ in range(_ROUNDS):  # which model is outermost depends on how far errors reach
        lowest = np.where(kept, centres - reach[:, None] * errors, np.inf).argmin(axis=1)
        highest = np.where(kept, centres + reach[:, None] * errors, -np.inf).argmax(axis=1)
        low, low_error = centres[rows, lowest], errors[rows, lowest]
        high, high_error = centres[rows, highest], errors[rows, highest]
        apart = np.maximum(high - low, 0) / np.maximum(low_error, high_error)
        least, most = (np.full(len(centres), scipy.stats.t.isf(a, df)) for a in (alpha, alpha / 2))
        for _ in range(_BISECTIONS):
            reach = (least + most) / 2
            missed = scipy.stats.t.sf(reach + apart, df) + scipy.stats.t.sf(reach, df)
            least = np.where(missed > alpha, reach, least)
            most = np.where(missed > alpha, most, reach)
    return low - most * low_error, high + most * high_error


# What a curve shows of its exponent, for readers: window, models, local exponents, an interval.


LEVEL = 0.95
REJECTED = 0.01  # a model with a smaller p-value does not hold in a window
_FEWEST = 6  # points of a window that is shortened no further
_DROPPED = 4  # a window is shortened by one point in four
_DESCRIPTION = 0.02  # least weight of a model that is named
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
        named = ", ".join(f"{name} {w:.2g}" for name, w in shares if w >= _DESCRIPTION)
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
