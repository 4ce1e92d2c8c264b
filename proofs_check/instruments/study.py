"""Study: one measured rate or effect, with its verdicts and the curves of its figure."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray

from proofs_check.instruments.rates import Fit, rate_verdict
from proofs_check.verdict import Outcome, Verdict
from theory.theorem import Theorem

Curve = NDArray[np.float64]


class StudyResult(NamedTuple):
    """Verdicts, and 1-D curves of one length: ``x``, ``mean``, ``low``, ``high``, ``fit``,
    ``reference`` (theory's line or exact curve); other keys carry further groups of points.
    Or a picture of several lines: pairs of keys ``LABEL/x`` and ``LABEL/y``, each pair of its own
    length, with ``LABEL/low`` and ``LABEL/high`` where a line has a band.

    Attributes:
        verdicts: what the checks found.
    """

    verdicts: tuple[Verdict, ...]
    curves: dict[str, Curve]


@final
@dataclass(frozen=True)
class Study:
    """``run`` measures ``claim`` for the survey's ``row`` on ``problem``.

    ``x_label`` and ``y_label`` name the axes of the curves, with units where they have any;
    ``scales`` are theirs, "log" or "linear".
    """

    name: str
    row: str
    problem: str
    claim: str
    x_label: str
    y_label: str
    run: Callable[[], StudyResult]
    scales: tuple[str, str] = ("log", "log")


def curves(
    x: Curve, samples: Curve, fit: Fit, reference: Curve, z: float = 2.0
) -> dict[str, Curve]:
    """Mean over replicas of ``samples`` [R, K], a band of ``z`` standard errors, and the fit."""
    mean = samples.mean(axis=0)
    error = z * samples.std(axis=0, ddof=1) / samples.shape[0] ** 0.5
    xs = np.asarray(x, dtype=np.float64)
    line = np.exp(fit.intercept) * xs**fit.slope
    return {
        "x": xs,
        "mean": mean,
        "low": mean - error,
        "high": mean + error,
        "fit": line,
        "reference": np.asarray(reference, dtype=np.float64),
    }


def order_verdict(
    theorem: Theorem,
    variable: str,
    fit: Fit,
    tight: bool,
    *,
    subject: str,
    problem: str,
    claim: str,
    told: str,
) -> Verdict:
    """Is the fitted exponent of ``variable`` the one in the theorem's order, or at most that?"""
    return rate_verdict(
        fit, float(theorem.order.exponents[variable]), tight, subject=subject, claim=claim,
        variable=variable, problem=problem,
        provenance=f"{theorem.source}; {told}, error {fit.alpha:g}",
    )  # fmt: skip


def exponent(x: Curve, y: Curve) -> float:
    """Least-squares slope of log y ``[K]`` against log x ``[K]``."""
    return float(np.polyfit(np.log(x), np.log(y), 1)[0])


def noise_free_rate(
    x: Curve,
    y: Curve,
    order: float,
    tolerance: float,
    *,
    tight: bool,
    subject: str,
    claim: str,
    variable: str,
    problem: str,
    provenance: str,
) -> Verdict:
    """Is the exponent of a curve without randomness at most ``order`` (if ``tight``: equal)?

    ``tolerance`` is what terms of higher order may contribute; the caller says why.
    """
    slope = exponent(x, y)
    refuted = not slope <= order + tolerance or (tight and not slope >= order - tolerance)
    return Verdict(
        subject=subject,
        problem=problem,
        claim=claim,
        check=f"rate in {variable}",
        outcome=Outcome.REFUTED if refuted else Outcome.SUPPORTED,
        statistic=slope,
        bound=order,
        order=f"{variable}^{order:g}",
        uncertainty=tolerance,
        resolution=tolerance,
        evidence=f"exponent of {variable} {slope:.5f} (order: {'=' if tight else '<='} {order:g}, "
        f"tolerance {tolerance:g}) on {len(x)} points without randomness",
        provenance=provenance,
    )


def plain_curves(x: Curve, y: Curve, reference: Curve) -> dict[str, Curve]:
    """Curves of a measurement without randomness: low = mean = high."""
    slope = exponent(x, y)
    line = np.exp(np.log(y).mean() + slope * (np.log(x) - np.log(x).mean()))
    return {"x": x, "mean": y, "low": y, "high": y, "fit": line, "reference": reference}
