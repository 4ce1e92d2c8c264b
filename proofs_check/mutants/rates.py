"""Rates with one fault each: a wrong order, a dropped square, a window chosen after the fact."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import scipy

from proofs_check.instruments.power_laws.average import averaged
from proofs_check.instruments.power_laws.calibration import EXPONENT, KINDS, X, noisy_curves
from proofs_check.instruments.power_laws.models import MODELS
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.statistics import TEST_ERROR
from proofs_check.mutants.method_mutant import MethodMutant, fault
from proofs_check.verdict import Outcome, Verdict

_WHOLE = (slice(0, X.size),)
_WINDOWS = tuple(slice(a, b) for a in range(X.size - 3) for b in range(a + 4, X.size + 1))
_CURVES = 200


def rate_of_curves(power: float = EXPONENT, root: float = 1.0) -> Verdict:
    """Curves y of T^-1/2, 32 replicas, 10% noise: y^root against the order T^power."""
    y = noisy_curves(KINDS[0], 32, "log-normal", 0.1, 1, 8)[0]
    return rate_verdict(
        fit_power(X, y**root, TEST_ERROR), power, False, subject="power law",
        claim=f"the metric falls as T^{power:g}",
    )  # fmt: skip


def coverage_of_windows(windows: Sequence[slice] = _WHOLE) -> Verdict:
    """Whether the window whose interval ends lowest, of those that are tried, holds the exponent
    in 95% of curves; refuted where a binomial would not have so few once in 10^10."""
    y = noisy_curves(KINDS[0], 16, "log-normal", 0.01, _CURVES, 11)
    power = {"power law": MODELS["power law"]}
    found = [averaged(X[one], y[:, :, one], 0.05, power) for one in windows]
    low, high = (np.stack([getattr(one, end) for one in found]) for end in ("low", "high"))
    picked = high.argmin(axis=0), np.arange(_CURVES)
    held = int(((low[picked] <= EXPONENT) & (high[picked] >= EXPONENT)).sum())
    chance = float(scipy.stats.binom.cdf(held, _CURVES, 0.95))
    return Verdict(
        subject="power law", claim="intervals of 95% hold the exponent", check="coverage",
        outcome=Outcome.REFUTED if chance < TEST_ERROR else Outcome.SUPPORTED,
        statistic=held / _CURVES, bound=0.95,
        evidence=f"{held} of {_CURVES} curves, the best of {len(windows)} windows each; a binomial "
        f"has so few with probability {chance:.2g}",
        provenance="curves of one exponent, seed 11",
    )  # fmt: skip


METHOD_MUTANTS = (
    MethodMutant(
        "rate with a wrong order", "T^-1 claimed of a curve of T^-1/2",
        lambda: rate_of_curves(-1.0), rate_of_curves,
    ),
    MethodMutant(
        "rate of a metric without its square", "||grad f|| in the place of ||grad f||^2",
        lambda: rate_of_curves(root=0.5), rate_of_curves,
    ),
    fault(
        "window chosen after the fact", "of 45 windows the one that falls fastest is reported",
        coverage_of_windows, _WINDOWS,
    ),
)  # fmt: skip
