"""Limits of means: their true error for skewed laws against the stated one, and bad input."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats
from scipy.special import gammaln, logsumexp

from proofs_check.instruments.limits import lower_limits, quantile

_SHAPES = (1.0, 1.5, 2.0, 3.0, 5.0, 8.0)


def exponential_error(limit: float, n: int) -> float:
    """P(mean > limit standard errors) of n values 1 - E, E exponential, by importance sampling.

    Given its scale-free part D = E / sum E, which is independent of the sum, the mean is known
    through a gamma law; D is drawn from Dirichlet laws of several shapes, weighed by the mixture.
    """
    drawn, found = np.random.default_rng(n), []
    for shape in _SHAPES:
        values = drawn.gamma(shape, size=(4_000, n))
        parts = values / values.sum(axis=1, keepdims=True)
        logs = np.log(parts).sum(axis=1)
        laws = [gammaln(n * k) - n * gammaln(k) + (k - 1) * logs for k in _SHAPES]
        weight = gammaln(n) - logsumexp(laws, axis=0) + math.log(len(_SHAPES))
        variation = n * parts.std(axis=1, ddof=1)
        tail = stats.gamma.logcdf(n / (1 + limit * variation / math.sqrt(n)), n)
        found.append(weight + tail)
    return float(np.exp(np.concatenate(found)).mean())


@pytest.mark.parametrize("n", [16, 32, 64, 256])
@pytest.mark.parametrize("alpha", [1e-3, 1e-10])
def test_the_error_at_left_skewed_values_is_below_alpha_where_students_is_not(n, alpha):
    """Student's t errs 3 to 18 times as often as 10^-3 says, 10^3 to 10^5 times as 10^-10 says."""
    assert alpha / 20 < exponential_error(quantile(alpha, n), n) < alpha
    student = exponential_error(float(stats.t.isf(alpha, n - 1)), n)
    assert student > (3 if alpha == 1e-3 else 1000) * alpha


@pytest.mark.parametrize(
    "draw",
    [
        lambda r, size: r.normal(size=size),
        lambda r, size: r.uniform(-1, 1, size),
        lambda r, size: 4 - r.gamma(4, size=size),
        lambda r, size: r.beta(5, 1, size) - 5 / 6,
        lambda r, size: r.triangular(0, 1, 1, size) - 2 / 3,
        lambda r, size: r.exponential(size=size) - 1,
        lambda r, size: r.standard_t(5, size),
    ],
    ids=["normal", "uniform", "gamma", "beta", "triangular", "right", "heavy-tailed"],
)
def test_other_laws_err_less_than_the_exponential(draw):
    """40,000 means of 20 values at 10^-3: at most as many beyond as chance of 1e-9 allows."""
    values = draw(np.random.default_rng(3), (40_000, 20))
    scores = values.mean(axis=1) / (values.std(axis=1, ddof=1) / math.sqrt(20))
    assert (scores > quantile(1e-3, 20)).sum() <= stats.binom.isf(1e-9, 40_000, 1e-3)


def test_students_limit_is_not_enough_for_skewed_values():
    values = 1 - np.random.default_rng(4).exponential(size=(40_000, 20))
    scores = values.mean(axis=1) / (values.std(axis=1, ddof=1) / math.sqrt(20))
    most = stats.binom.isf(1e-9, 40_000, 1e-3)
    assert (scores > quantile(1e-3, 20)).sum() <= most
    assert (scores > stats.t.isf(1e-3, 19)).sum() > 5 * most


def test_many_values_need_little_more_than_a_normal_quantile():
    assert quantile(1e-10, 10**7) == pytest.approx(math.sqrt(2 * math.log(1e10)), rel=0.01)
    assert quantile(1e-10, 2) > 1e6 or math.isinf(quantile(1e-10, 2))


@pytest.mark.parametrize("chance", [0.5, 0.02])
def test_lower_limits_hold_for_two_values_by_the_binomial_law(chance):
    """Values 0 and 1, the most skewed there are: the error of all counts, weighed."""
    n, alpha = 32, 1e-3
    counts = np.arange(n + 1)
    columns = (np.arange(n)[:, None] < counts).astype(float)
    single = [float(lower_limits(columns[:, k : k + 1], alpha)[0]) for k in counts[1:]]
    weight = stats.binom.pmf(counts[1:], n, chance)
    assert float(weight[np.array(single) > chance].sum()) <= alpha


def test_lower_limits_of_rows_are_simultaneous_and_exact_where_nothing_is_drawn():
    y = np.random.default_rng(5).gamma(2.0, size=(64, 3))
    alone = lower_limits(y[:, :1], 1e-9 / 3)
    assert lower_limits(y, 1e-9)[0] == pytest.approx(float(alone[0]), rel=1e-6)
    assert (lower_limits(y, 1e-9) < y.mean(axis=0)).all()
    assert lower_limits(np.full((8, 2), 0.3), 1e-9) == pytest.approx([0.3, 0.3])
    assert (lower_limits(np.zeros((4, 1)), 0.1) == 0).all()


def test_bad_input_is_named():
    with pytest.raises(ValueError, match="samples must be at least 2, got samples=1"):
        quantile(0.1, 1)
    with pytest.raises(ValueError, match="alpha=2"):
        quantile(2.0, 5)
    with pytest.raises(ValueError, match="nonnegative and finite"):
        lower_limits(np.array([[-1.0]]), 0.1)
    with pytest.raises(ValueError, match="alpha=0"):
        lower_limits(np.array([[1.0]]), 0.0)
