r"""Rates: power laws fitted to curves over replicas.

The slope is that of log E y against log x, where E y is estimated by the mean over replicas. The
log of a mean is biased and the noise of neighbouring points is correlated (each replica is one
run), so the interval comes from a grouped jackknife over whole replicas: with G groups,

    theta_g = G theta(all) - (G - 1) theta(all but group g),   slope = mean of theta_g,

and Student's t with G - 1 degrees of freedom. The jackknife removes the O(1/R) bias of the log, and
a pseudo-value is, to first order, a mean over the replicas of its group, hence closer to normal
under heavy tails than a slope per replica (which would estimate E log y and another exponent) or a
bootstrap percentile (which undercovers for means of skewed samples with few replicas). Under noise
as heavy as a log-normal with unit sigma, 64 replicas miss 1.3 times as often as stated at 1e-2, 16
replicas 2.4 times: use 32 or more where a small error matters. At small errors Student's t is far
too sure for skewed values (:mod:`proofs_check.instruments.limits`): the error is as stated
where pseudo-values are nearly normal, and up to 1e-5 for 1e-10 where they are exponential. So a
cell is refuted only if a second run refutes it too (:mod:`proofs_check.instruments.tuned_arm`).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
import scipy
from numpy.typing import ArrayLike

from proofs_check.instruments.power_laws.average import REJECTED, ShownRate, decided, described
from proofs_check.instruments.replicas import need_alpha, replica_curves
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats

_LEAST_POINTS = 3
_ROUNDING = 1e-9  # of a slope fitted to noiseless data
_SETTLED = 0.002  # of an exponent between two points, what terms of a lower order leave


@final
@dataclass(frozen=True)
class PowerLawFit:
    """mean y = exp(intercept) x^slope on the points that were used.

    slope        jackknife estimate of the exponent
    half_width   half-width of its two-sided confidence interval at error ``alpha``
    intercept    of log y at log x = 0
    resolution   2 half_width: a deviation that large is refuted every other time
    residual     largest |log mean y - fitted line| over the points: how little a power law it is
    points       points used, of ``offered``; the rest lies at or behind the floor
    replicas     independent runs behind the interval
    shown        the 95% interval over models, for readers (None: too few points or replicas)
    decided      interval at error ``alpha`` that a stated order must miss to be refuted: slope +-
                 half_width, widened to that over models where the curve is shown to be no power law
    """

    slope: float
    half_width: float
    intercept: float
    resolution: float
    residual: float
    points: int
    offered: int
    replicas: int
    alpha: float
    floor: float
    shown: ShownRate | None = None
    decided: tuple[float, float] | None = None


def fit_power(
    x: ArrayLike, y: ArrayLike, alpha: float, *, floor: float | None = None,
    groups: int = 16, models: bool = True, rejected: float = REJECTED,
) -> PowerLawFit:  # fmt: skip
    """Exponent of y ``[R, K]`` (one row per independent replica) in x ``[K]``, error ``alpha``.

    Only points before the mean first falls to ``floor`` are used; the default floor is
    1024 eps max_k |mean y| in double precision. Pass the rounding error of the metric where it is
    larger (single precision, a difference of large numbers). ``groups`` are those of the jackknife,
    at most R: fewer are more robust to heavy tails, more give a shorter interval. Without
    ``models`` the line alone is fitted, and no other model is looked at; a power law whose test
    has a p-value below ``rejected`` is decided by the interval over models.

    Raises:
        ValueError: shapes, alpha outside (0, 1), values not finite, x not increasing and positive,
            fewer than 2 replicas or groups, or fewer than 3 points above the floor.
    """
    xs, ys = replica_curves(x, y, "x", "y")
    need_alpha(alpha)
    if groups < 2:
        raise ValueError(f"groups must be at least 2, got groups={groups}")
    if not np.isfinite(ys).all():
        r, k = (int(v) for v in np.argwhere(~np.isfinite(ys))[0])
        raise ValueError(f"y must be finite, got y[{r}, {k}] = {ys[r, k]}; cut the curve before it")
    if not (xs[0] > 0 and (np.diff(xs) > 0).all() and np.isfinite(xs[-1])):
        raise ValueError(f"x must be positive, finite and increasing, got {xs}")
    mean = ys.mean(axis=0)
    least = float(1024 * np.finfo(np.float64).eps * np.abs(mean).max()) if floor is None else floor
    points = int(np.logical_and.accumulate(mean > least).sum())
    if points < _LEAST_POINTS:
        raise ValueError(
            f"y must have at least {_LEAST_POINTS} points above the floor {least:.3g}, got "
            f"{points} of {xs.size}; shorter horizons, a larger noise or more points would do"
        )
    log_x = np.log(xs[:points])
    slope, half_width = _jackknife(log_x, ys[:, :points], alpha, min(groups, len(ys)))
    log_y = np.log(mean[:points])
    intercept = float(log_y.mean() - slope * log_x.mean())
    residual = float(np.abs(log_y - intercept - slope * log_x).max())
    shown = described(xs[:points], ys[:, :points]) if models else None
    return PowerLawFit(
        slope=slope,
        half_width=half_width,
        intercept=intercept,
        resolution=2.0 * half_width,
        residual=residual,
        points=points,
        offered=xs.size,
        replicas=ys.shape[0],
        alpha=alpha,
        floor=least,
        shown=shown,
        decided=decided(shown, xs[:points], ys[:, :points], alpha, (slope, half_width), rejected),
    )


def late_exponent(x: ArrayLike, y: ArrayLike, alpha: float, groups: int) -> tuple[float, float]:
    """Exponent of y ``[R, K]`` in x ``[K]`` between the last two points, and its half-width: that
    of the jackknife at error ``alpha``, or by how much the exponent before it differs.

    Raises:
        ValueError: fewer than three points, or a mean that is not positive.
    """
    xs, ys = replica_curves(x, y, "x", "y")
    if xs.size < _LEAST_POINTS:
        raise ValueError(f"y must have at least {_LEAST_POINTS} points, got {xs.size}")
    if (ys.mean(axis=0) <= 0).any():
        raise ValueError("y must have positive means")
    log_x, many = np.log(xs), min(groups, len(ys))
    before = float(_slope(log_x[-3:-1], ys[:, -3:-1].mean(axis=0)))
    slope, half = _jackknife(log_x[-2:], ys[:, -2:], alpha, many)
    return slope, max(half, abs(slope - before), _SETTLED)


def _jackknife(log_x: Floats, y: Floats, alpha: float, groups: int) -> tuple[float, float]:
    """Slope and half-width by the grouped jackknife over the rows of y ``[R, K]``."""
    replicas = y.shape[0]
    starts = np.linspace(0, replicas, groups + 1).astype(int)[:-1]
    sums = np.add.reduceat(y, starts, axis=0)
    sizes = np.diff(np.append(starts, replicas))[:, None]
    without = (y.sum(axis=0) - sums) / (replicas - sizes)
    if (without <= 0).any():
        raise ValueError(
            "y must have a positive mean without any one group of replicas; more replicas, or a "
            "higher floor, would do"
        )
    pseudo = groups * _slope(log_x, y.mean(axis=0)) - (groups - 1) * _slope(log_x, without)
    quantile = float(scipy.stats.t.isf(alpha / 2.0, groups - 1))
    return float(pseudo.mean()), quantile * float(pseudo.std(ddof=1)) / groups**0.5


def _slope(log_x: Floats, y: Floats) -> Floats:
    """Least-squares slopes ``[...]`` of log y ``[..., K]``."""
    centred = log_x - log_x.mean()
    return np.asarray((np.log(y) * centred).sum(axis=-1) / (centred**2).sum())


def rate_verdict(
    fit: PowerLawFit,
    order: float,
    tight: bool,
    *,
    subject: str,
    claim: str,
    variable: str = "T",
    problem: str = "",
    provenance: str = "",
    coarsest: float = 0.5,
    reference: float | None = None,
) -> Verdict:
    """Is the measured exponent at most ``order`` (and, if ``tight``, at least)?

    An order is refuted if it lies outside ``fit.decided``, above the interval only if tight.
    ``reference``, the slope of the theorem's own bound over the points, is held against slope +-
    half_width in its place. If the data could not have seen a deviation of ``coarsest`` (default:
    between T^(-1/2) and T^(-1)), and the interval does not lie below the order as a whole, the
    exponent is compared, not asserted.
    """
    held, low, high = order, *(fit.decided or _around(fit))
    if reference is not None:
        held, low, high = reference, *_around(fit)
    over = low > held + _ROUNDING
    under = tight and high < held - _ROUNDING
    outcome = Outcome.REFUTED if over or under else Outcome.SUPPORTED
    note = ""
    resolution = fit.resolution if (low, high) == _around(fit) else high - low
    sure = high <= held and not tight
    if resolution > coarsest and not sure and outcome is Outcome.SUPPORTED:
        outcome, note = Outcome.COMPARED, f"; too coarse to assert (more than {coarsest:g})"
    relation = "=" if tight else "<="
    at_hand = (
        ""
        if reference is None
        else f"; held against the bound's over these points, {reference:.4f}"
    )
    evidence = (
        f"exponent of {variable} {fit.slope:.4f} +- {fit.half_width:.4f} (order: {relation} "
        f"{order:g}{at_hand}) on {fit.points} of {fit.offered} points, {fit.replicas} replicas, "
        f"largest distance from a power law {fit.residual:.2g}{note}"
    )
    if fit.shown is not None:
        evidence += f"; {fit.shown}"
    return Verdict(
        subject=subject,
        claim=claim,
        check=f"rate in {variable}",
        kind=CheckKind.RATE,
        outcome=outcome,
        statistic=fit.slope,
        bound=held,
        order=f"{variable}^{order:g}",
        exponent=rational(order),
        uncertainty=fit.half_width,
        resolution=resolution,
        evidence=evidence,
        provenance=provenance or f"grouped jackknife, error {fit.alpha:g}",
        problem=problem,
    )


def rational(order: float) -> Fraction:
    """The fraction with a denominator up to 64 that an order was stated as; else the number."""
    near = Fraction(order).limit_denominator(64)
    return near if abs(float(near) - order) <= 1e-12 else Fraction(order)


def _around(fit: PowerLawFit) -> tuple[float, float]:
    return fit.slope - fit.half_width, fit.slope + fit.half_width
