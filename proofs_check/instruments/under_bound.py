"""Whole curves held under their bounds, by a lower limit of their mean at every point."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from proofs_check.instruments.limits import lower_limits, quantile
from proofs_check.instruments.replicas import need_alpha, replica_curves
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.arrays import Floats


def curve_under_bound(
    curves: ArrayLike,
    bound: ArrayLike,
    alpha: float,
    *,
    subject: str,
    claim: str,
    problem: str = "",
    provenance: str = "",
    floor: float = 0.0,
    rounding: float = 1e-12,
) -> Verdict:
    """Does the mean of ``curves`` ``[R, K]`` (one row per replica) stay under ``bound`` ``[K]``?

    Refuted iff a simultaneous lower confidence limit of the mean (:func:`limits.lower_limits`, for
    values of at least -``floor`` and whatever law; else :func:`limits.quantile`, each at alpha / K,
    one sided) exceeds the bound somewhere, beyond ``rounding`` relative to the bound and ``floor``,
    the absolute rounding error of the metric; or if a curve is not finite where the bound is.
    ``statistic`` is the mean and ``bound`` the bound where their ratio is largest, ``tightness``
    that ratio; points whose bound does not exceed ``floor`` are left out of it. ``resolution``:
    were the true mean this much (relative) over the bound at all points, it would be refuted at
    least every other time.

    Raises:
        ValueError: shapes, alpha outside (0, 1), a bound that is NaN or negative or nowhere above
            ``floor``, or fewer than 2 replicas.
    """
    limit, ys = replica_curves(bound, curves, "bound", "curves")
    need_alpha(alpha)
    if not (limit >= 0).all():
        raise ValueError(f"bound must be non-negative numbers, got {limit[~(limit >= 0)][0]}")
    used = np.isfinite(limit) & (limit > floor)
    if not used.any():
        raise ValueError(f"bound must be finite and exceed floor={floor:g} somewhere, got {limit}")
    found = _largest_ratio(limit[used], ys[:, used], alpha, floor, rounding)
    place = int(np.flatnonzero(used)[found.k])
    return Verdict(
        subject=subject,
        claim=claim,
        check="curve under bound",
        kind=CheckKind.BOUND,
        outcome=Outcome.REFUTED if found.points_over else Outcome.SUPPORTED,
        statistic=found.mean,
        bound=float(limit[place]),
        uncertainty=found.half,
        resolution=found.resolution,
        tightness=found.mean / float(limit[place]),
        evidence=f"{found.said} (point {place} of {used.size}); "
        f"{len(ys)} replicas, error {alpha:g}",
        provenance=provenance,
        problem=problem,
    )


class _Found(NamedTuple):
    k: int
    mean: float
    half: float
    points_over: int
    resolution: float
    said: str


def _largest_ratio(
    limit: Floats, ys: Floats, alpha: float, floor: float, rounding: float
) -> _Found:
    """Point where mean / limit is largest, among the points refuted if there are any."""
    if not np.isfinite(ys).all():
        r, k = (int(v) for v in np.argwhere(~np.isfinite(ys))[0])
        return _Found(k, float(ys[r, k]), np.nan, 1, np.nan, f"replica {r} is not finite")
    mean = ys.mean(axis=0)
    low = lower_ends(ys, alpha, floor)
    half = mean - low
    over = low > limit * (1.0 + rounding) + floor
    k = int(np.where(over | ~over.any(), mean / limit, -np.inf).argmax())
    resolution = float(_over(mean, np.maximum(low, 0.0)).min())
    said = f"largest mean / bound {mean[k] / limit[k]:.4g}, {int(over.sum())} points over it"
    return _Found(k, float(mean[k]), float(half[k]), int(over.sum()), resolution, said)


def lower_ends(ys: Floats, alpha: float, floor: float = 0.0) -> Floats:
    """Numbers ``[K]`` that the means of curves ``[R, K]`` exceed, all with error ``alpha``.

    Values down to -``floor`` are nonnegative up to rounding, and count as 0.
    """
    if (ys >= -floor).all():
        return lower_limits(np.maximum(ys, 0.0), alpha)
    error = ys.std(axis=0, ddof=1) / len(ys) ** 0.5
    return np.asarray(ys.mean(axis=0) - quantile(alpha / ys.shape[1], len(ys)) * error)


def _over(large: Floats, small: Floats) -> Floats:
    """By how much ``large`` exceeds ``small``, relative to it; infinite where that is 0."""
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.where(small > 0, large / small - 1, np.inf)


# How a bound grips at the end of a run, where noise and the leading term rule, not the start.


CHECK = "bound at the end"


def late_bound_verdict(
    start: float,
    samples: Floats,
    bound: Floats,
    alpha: float,
    *,
    subject: str,
    problem: str,
    theorem: str,
    provenance: str,
    floor: float = 0.0,
) -> Verdict:
    """Does the bound ``[K]`` end below the metric's mean at the ``start``, and by how much above
    the measured curve ``samples`` ``[R, K]``?

    Supported if it does; a bound that is larger than the error that the run starts with says
    nothing, and is compared. ``tightness`` is the largest mean over bound in the second half of the
    points, ``resolution`` the smallest relative excess there that would be refuted every other time
    (at error alpha over the points, see :func:`lower_ends`).
    """
    half = slice(samples.shape[1] // 2, None)
    mean, limit = samples.mean(axis=0)[half], bound[half]
    low = np.maximum(lower_ends(samples, alpha, floor)[half], np.finfo(np.float64).tiny)
    ratio = mean / limit
    end = float(bound[-1])
    return Verdict(
        subject=subject, problem=problem, check=CHECK,
        kind=CheckKind.LATE_BOUND, theorem=theorem, provenance=provenance,
        claim=f"the bound of {theorem} ends below the start",
        outcome=Outcome.SUPPORTED if end < start else Outcome.COMPARED,
        statistic=end, bound=start, tightness=float(np.nanmax(ratio)),
        resolution=float(np.nanmin(limit / low - 1)),
        evidence=f"bound {end:.4g} at the end, {start:.4g} at the start; in the second half of the "
        f"run mean / bound is {np.nanmin(ratio):.2g} to {np.nanmax(ratio):.2g}"
        + ("" if end < start else "; vacuous"),
    )  # fmt: skip
