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
from typing import NamedTuple

import numpy as np
import scipy

from proofs_check.instruments.power_laws.models import MODELS, FittedModel, ModelFit
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
