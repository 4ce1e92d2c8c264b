"""Rates on synthetic data of known exponent; planted wrong exponents and curves are refuted."""

import numpy as np
import pytest
from scipy import stats

from proofs_check.instruments.rates import PowerLawFit, fit_power, rate_verdict
from proofs_check.instruments.under_bound import curve_under_bound
from proofs_check.verdict import Outcome

ERROR = 1e-9  # of each statistical test; seeds are fixed
X = 2.0 ** np.arange(4, 12)
NAMES = {"subject": "synthetic", "claim": "E y = x^-1"}


def noisy(rng: np.random.Generator, replicas: int, slope: float, shape: float = 4.0) -> np.ndarray:
    """Gamma noise of mean 1 and relative variance 1 / shape, half of it shared along the curve."""
    own, shared = (
        rng.gamma(shape, 1 / shape, (replicas, X.size)),
        rng.gamma(shape, 1 / shape, (replicas, 1)),
    )
    return (own + shared) / 2 * X**slope


def binomial_limits(trials: int, p: float) -> tuple[float, float]:
    return stats.binom.ppf(ERROR / 2, trials, p), stats.binom.isf(ERROR / 2, trials, p)


def test_noiseless_data_give_the_exact_exponent() -> None:
    fit = fit_power(X, np.tile(3 * X**-0.5, (5, 1)), 1e-6)
    assert fit.slope == pytest.approx(-0.5, abs=1e-12)
    assert fit.intercept == pytest.approx(np.log(3), abs=1e-12)
    assert fit.half_width < 1e-12 and fit.residual < 1e-12
    assert rate_verdict(fit, -0.5, True, **NAMES).outcome is Outcome.SUPPORTED


def test_the_line_is_that_of_least_squares() -> None:
    curve = np.tile(2 / X + 0.01, (4, 1))
    wanted = stats.linregress(np.log(X), np.log(curve[0]))
    fit = fit_power(X, curve, 1e-3)
    assert (fit.slope, fit.intercept) == pytest.approx((wanted.slope, wanted.intercept), abs=1e-12)


def test_the_interval_is_students_interval_of_jackknife_pseudo_values() -> None:
    """With one replica per group: theta_r = R theta - (R - 1) theta_(without r), by scipy."""
    y = noisy(np.random.default_rng(1), 12, -1.0)

    def slope(rows: np.ndarray) -> float:
        return float(stats.linregress(np.log(X), np.log(rows.mean(axis=0))).slope)

    pseudo = [12 * slope(y) - 11 * slope(np.delete(y, r, axis=0)) for r in range(12)]
    low, high = stats.t.interval(0.99, 11, np.mean(pseudo), stats.sem(pseudo))
    fit = fit_power(X, y, 1e-2, groups=12)
    assert (fit.slope - fit.half_width, fit.slope + fit.half_width) == pytest.approx((low, high))


@pytest.mark.parametrize("alpha", [0.2, 1e-2])
@pytest.mark.parametrize("replicas", [32, 96])
def test_coverage_is_as_stated(alpha: float, replicas: int) -> None:
    rng, trials = np.random.default_rng(2), 1500
    fits = [fit_power(X, noisy(rng, replicas, -1.0), alpha, models=False) for _ in range(trials)]
    misses = sum(abs(fit.slope + 1.0) > fit.half_width for fit in fits)
    low, high = binomial_limits(trials, alpha)
    assert low <= misses <= high


def test_the_exponent_is_that_of_the_mean_not_of_the_log() -> None:
    """E y = 1/x, but noise that grows with x drags E log y down to another exponent."""
    rng = np.random.default_rng(3)
    sigma = np.linspace(0.1, 0.9, X.size)
    y = np.exp(sigma * rng.standard_normal((512, X.size)) - sigma**2 / 2) / X
    per_replica = [stats.linregress(np.log(X), row).slope for row in np.log(y)]
    assert stats.ttest_1samp(per_replica, -1.0).pvalue < ERROR
    fit = fit_power(X, y, ERROR)
    assert abs(fit.slope + 1.0) < fit.half_width < 0.2


def test_wrong_orders_are_refuted_and_faster_is_fine_unless_tight() -> None:
    fit = fit_power(X, noisy(np.random.default_rng(4), 64, -0.5), ERROR)
    assert fit.resolution < 0.5
    outcome = {
        (order, tight): rate_verdict(fit, order, tight, **NAMES).outcome
        for order in (-1.0, -0.5, 0.0)
        for tight in (False, True)
    }
    assert outcome[-1.0, False] is outcome[-1.0, True] is Outcome.REFUTED
    assert outcome[-0.5, False] is outcome[-0.5, True] is Outcome.SUPPORTED
    assert outcome[0.0, False] is Outcome.SUPPORTED
    assert outcome[0.0, True] is Outcome.REFUTED


def test_a_deviation_of_the_stated_resolution_is_seen_every_other_time() -> None:
    rng, trials = np.random.default_rng(5), 400
    fits = [fit_power(X, noisy(rng, 64, -0.5), 1e-3, models=False) for _ in range(trials)]
    typical = float(np.median([fit.resolution for fit in fits]))
    seen = sum(
        rate_verdict(fit, -0.5 - typical, False, **NAMES).outcome is Outcome.REFUTED for fit in fits
    )
    assert seen >= stats.binom.ppf(ERROR, trials, 0.5)


def test_too_coarse_an_interval_is_only_compared() -> None:
    fit = fit_power(X, noisy(np.random.default_rng(6), 4, -0.5, shape=0.5), ERROR)
    verdict = rate_verdict(fit, -0.5, False, **NAMES)
    assert fit.resolution > 0.5 and verdict.outcome is Outcome.COMPARED
    assert "too coarse to assert" in verdict.evidence


def test_a_verdict_carries_its_figures() -> None:
    fit = fit_power(X, noisy(np.random.default_rng(7), 64, -0.5), 1e-3)
    verdict = rate_verdict(fit, -0.5, True, variable="n", problem="quadratic", **NAMES)
    assert (verdict.statistic, verdict.bound, verdict.order) == (fit.slope, -0.5, "n^-0.5")
    assert (verdict.uncertainty, verdict.resolution) == (fit.half_width, fit.resolution)
    assert verdict.check == "rate in n" and "64 replicas" in verdict.evidence


def test_points_behind_the_floating_point_floor_are_left_out() -> None:
    x = 2.0 ** np.arange(20)
    y = np.tile(np.maximum(x**-4.0, 1e-17), (6, 1))
    y[:, 15] = 1e-3  # behind the floor, whatever it is
    fit = fit_power(x, y, 1e-3)
    assert fit.points == sum(x**-4.0 > 1024 * 2.0**-52) and fit.offered == 20
    assert fit.slope == pytest.approx(-4.0, abs=1e-12)
    assert fit_power(x, y, 1e-3, floor=1e-8).points == sum(x**-4.0 > 1e-8)
    with pytest.raises(ValueError, match=r"at least 3 points above the floor 0\.01, got 2 of 20"):
        fit_power(x, y, 1e-3, floor=0.01)


def test_columns_may_be_independent_runs() -> None:
    fit = fit_power(
        [1, 4, 16, 64], noisy(np.random.default_rng(8), 64, -1.0)[:, [0, 2, 4, 6]], 1e-3
    )
    assert isinstance(fit, PowerLawFit) and abs(fit.slope + 1.0) < fit.half_width


GOOD = np.ones((4, 8)) / X


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ((X, GOOD[0], 0.1), r"x must be \[K\] and y \[R, K\], got shapes \(8,\) and \(8,\)"),
        ((X[:5], GOOD, 0.1), r"got shapes \(5,\) and \(4, 8\)"),
        ((X, GOOD[:1], 0.1), "at least 2 replicas to know its error, got 1"),
        ((X, GOOD, 0.0), r"alpha must lie in \(0, 1\), got alpha=0.0"),
        ((X, GOOD, 1.5), r"alpha must lie in \(0, 1\), got alpha=1.5"),
        ((X[::-1], GOOD, 0.1), "x must be positive, finite and increasing"),
        ((X - 16, GOOD, 0.1), "x must be positive, finite and increasing"),
        ((X, np.where(X > 500, np.nan, GOOD), 0.1), r"y must be finite, got y\[0, 5\] = nan"),
        ((X, -GOOD, 0.1), "at least 3 points above the floor"),
    ],
)
def test_bad_data_are_named(arguments, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        fit_power(*arguments)


def test_few_groups_and_lone_positive_replicas_are_named() -> None:
    with pytest.raises(ValueError, match="groups must be at least 2, got groups=1"):
        fit_power(X, GOOD, 0.1, groups=1)
    lone = np.vstack([10 * GOOD[:1], -GOOD])
    with pytest.raises(ValueError, match="positive mean without any one group"):
        fit_power(X, lone, 0.1)


def test_a_curve_under_its_bound_is_supported_with_its_tightness() -> None:
    curves = noisy(np.random.default_rng(9), 64, -1.0)
    verdict = curve_under_bound(curves, 2 / X, ERROR, **NAMES)
    assert verdict.outcome is Outcome.SUPPORTED
    assert verdict.tightness == pytest.approx((curves.mean(axis=0) * X / 2).max(), rel=1e-12)
    assert verdict.statistic / verdict.bound == pytest.approx(verdict.tightness)
    assert 0 < verdict.resolution < 1


def test_one_planted_point_over_the_bound_is_refuted_and_named() -> None:
    curves = noisy(np.random.default_rng(10), 64, -1.0)
    bound = 2 / X
    bound[3] /= 4
    verdict = curve_under_bound(curves, bound, ERROR, **NAMES)
    assert verdict.outcome is Outcome.REFUTED and "point 3 of 8" in verdict.evidence
    assert verdict.bound == bound[3] and "1 points over it" in verdict.evidence


def test_a_curve_on_its_bound_is_wrongly_refuted_at_most_as_often_as_stated() -> None:
    rng, trials, alpha = np.random.default_rng(11), 1500, 0.05
    refuted = sum(
        curve_under_bound(noisy(rng, 24, -1.0), 1 / X, alpha, **NAMES).outcome is Outcome.REFUTED
        for _ in range(trials)
    )
    assert refuted <= binomial_limits(trials, alpha)[1]


def test_a_violation_of_the_stated_resolution_is_seen_every_other_time() -> None:
    rng, trials = np.random.default_rng(12), 300
    runs = [noisy(rng, 48, -1.0) for _ in range(trials)]
    size = np.median([curve_under_bound(y, 1 / X, 1e-3, **NAMES).resolution for y in runs])
    seen = sum(
        curve_under_bound(y, 1 / X / (1 + size), 1e-3, **NAMES).outcome is Outcome.REFUTED
        for y in runs
    )
    assert seen >= stats.binom.ppf(ERROR, trials, 0.5)


def test_noiseless_curves_on_their_bound_pass_up_to_rounding() -> None:
    bound = 0.9 ** np.arange(200)
    curves = np.tile(np.cumprod(np.r_[1.0, np.full(199, 0.9)]), (3, 1))
    assert curve_under_bound(curves, bound, 1e-3, **NAMES).outcome is Outcome.SUPPORTED
    above = curve_under_bound(curves * (1 + 1e-9), bound, 1e-3, **NAMES)
    assert above.outcome is Outcome.REFUTED
    curves = np.maximum(curves, 1e-6)
    assert curve_under_bound(curves, bound, 1e-3, **NAMES).outcome is Outcome.REFUTED
    held = curve_under_bound(curves, bound, 1e-3, floor=1e-6, **NAMES)
    assert held.outcome is Outcome.SUPPORTED and held.tightness == pytest.approx(1.0)


def test_a_diverging_curve_is_refuted_and_infinite_bounds_are_skipped() -> None:
    curves, bound = GOOD.copy(), 2 / X
    curves[2, 6] = np.nan
    verdict = curve_under_bound(curves, bound, 1e-3, **NAMES)
    assert (
        verdict.outcome is Outcome.REFUTED
        and "replica 2 is not finite (point 6" in verdict.evidence
    )
    bound[6] = np.inf
    assert curve_under_bound(curves, bound, 1e-3, **NAMES).outcome is Outcome.SUPPORTED


@pytest.mark.parametrize(
    ("curves", "bound", "words"),
    [
        (GOOD, -1 / X, "bound must be non-negative numbers, got -0.0625"),
        (GOOD, np.full(8, np.nan), "bound must be non-negative numbers, got nan"),
        (GOOD, np.zeros(8), "bound must be finite and exceed floor=0 somewhere"),
        (GOOD[:1], 1 / X, "at least 2 replicas"),
        (GOOD, 1 / X[:3], r"bound must be \[K\] and curves \[R, K\]"),
    ],
)
def test_bad_bounds_are_named(curves, bound, words: str) -> None:
    with pytest.raises(ValueError, match=words):
        curve_under_bound(curves, bound, 1e-3, **NAMES)
