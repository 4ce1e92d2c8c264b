"""Tests of measurements against closed forms: identities, and expectations with their error.

Every statistical test errs with probability at most :data:`ALPHA`, the survey's error of one test.
"""

from __future__ import annotations

import numpy as np
import scipy
from numpy.typing import ArrayLike

from proofs_check.instruments.limits import quantile
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.verdict import Outcome, Verdict

ALPHA = TEST_ERROR
IDENTITY = 1e-12


def identity(
    subject: str,
    claim: str,
    measured: ArrayLike,
    expected: ArrayLike,
    *,
    check: str,
    problem: str = "",
    tolerance: float = IDENTITY,
    provenance: str = "",
    note: str = "",
) -> Verdict:
    """Agrees if the largest difference is at most ``tolerance`` max(1, largest expected entry).

    ``measured`` and ``expected`` broadcast against each other; both are compared in float64.
    """
    got, want = (np.asarray(a, dtype=np.float64) for a in (measured, expected))
    got, want = np.broadcast_arrays(got, want)
    scale = max(1.0, float(np.abs(want).max()))
    gap = float(np.abs(got - want).max()) / scale
    where = int(np.nan_to_num(np.abs(got - want), nan=np.inf).argmax())
    return Verdict(
        subject=subject,
        problem=problem,
        claim=claim,
        check=check,
        outcome=Outcome.AGREES if gap <= tolerance else Outcome.REFUTED,
        statistic=float(got.flat[where]),
        bound=float(want.flat[where]),
        uncertainty=tolerance * scale,
        resolution=tolerance * scale,
        evidence=f"measured {got.flat[where]:.12g}, expected {want.flat[where]:.12g}, largest "
        f"difference {gap:.2g} relative to {scale:.3g} over {got.size} values, tolerance "
        f"{tolerance:g}" + _tail(note),
        provenance=provenance,
    )


def mean_square(
    subject: str,
    claim: str,
    samples: ArrayLike,
    variance: float,
    *,
    centre: float = 0.0,
    check: str,
    problem: str = "",
    provenance: str = "",
) -> Verdict:
    r"""Is E z^2 = variance + centre^2 for independent Gaussian ``samples`` z of any shape?

    $\sum z^2 / variance$ is (non-central) chi-square with as many degrees of freedom as samples,
    exactly: the two-sided interval at :data:`ALPHA` needs no large-sample argument.
    """
    z = np.asarray(samples, dtype=np.float64)
    return chi_square(
        subject, claim, float(np.square(z).sum()), z.size, variance,
        centre=centre, check=check, problem=problem, provenance=provenance,
    )  # fmt: skip


def chi_square(
    subject: str,
    claim: str,
    total: float,
    dof: int,
    variance: float,
    *,
    centre: float = 0.0,
    check: str,
    problem: str = "",
    provenance: str = "",
) -> Verdict:
    """Variant of :func:`mean_square`, from the sum of squares and its degrees of freedom."""
    measured, expected = total / dof, variance + centre**2
    law = scipy.stats.ncx2(dof, dof * centre**2 / variance) if centre else scipy.stats.chi2(dof)
    low, high = (variance / dof * float(v) for v in (law.ppf(ALPHA / 2), law.isf(ALPHA / 2)))
    inside = low <= measured <= high
    half = (high - low) / 2
    return Verdict(
        subject=subject,
        problem=problem,
        claim=claim,
        check=check,
        outcome=Outcome.SUPPORTED if inside else Outcome.REFUTED,
        statistic=measured,
        bound=expected,
        uncertainty=half,
        resolution=2 * half,
        evidence=f"measured {measured:.8g}, expected {expected:.8g}, interval [{low:.6g}, "
        f"{high:.6g}], chi-square with {dof} degrees of freedom",
        provenance=f"{provenance}, error {ALPHA:g}".lstrip(", "),
    )


def mean_value(
    subject: str,
    claim: str,
    samples: ArrayLike,
    expected: float,
    *,
    check: str,
    problem: str = "",
    provenance: str = "",
    note: str = "",
) -> Verdict:
    """Is the mean of independent ``samples`` [R] ``expected``? Student's t, two-sided."""
    y = np.asarray(samples, dtype=np.float64).ravel()
    measured = float(y.mean())
    half = float(quantile(ALPHA / 2, y.size) * y.std(ddof=1)) / y.size**0.5
    half += IDENTITY * abs(expected)  # samples that do not vary still carry rounding
    return Verdict(
        subject=subject,
        problem=problem,
        claim=claim,
        check=check,
        outcome=Outcome.SUPPORTED if abs(measured - expected) <= half else Outcome.REFUTED,
        statistic=measured,
        bound=expected,
        uncertainty=half,
        resolution=2 * half,
        evidence=f"measured {measured:.8g} +- {half:.2g}, expected {expected:.8g}, {y.size} "
        "independent samples" + _tail(note),
        provenance=f"{provenance}, error {ALPHA:g}".lstrip(", "),
    )


def _tail(note: str) -> str:
    return f"; {note}" if note else ""
