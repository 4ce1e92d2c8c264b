"""Ends of means by betting: they err as seldom as stated, and narrow as fast as promised."""

from __future__ import annotations

import math

import pytest
import torch
from scipy.stats import binom

from proofs_check.instruments.betting import interval, lower_end, samples_needed


@pytest.mark.parametrize("chance", [0.01, 0.3, 0.99])
def test_the_error_at_two_points_is_at_most_alpha_by_the_binomial_law(chance: float) -> None:
    size, alpha = 200, 0.05
    above = below = 0.0
    for ones in range(size + 1):
        values = (torch.arange(size) < ones).double()
        low, high = interval(values, 1.0, alpha)
        assert 0 <= low <= ones / size <= high <= 1
        weight = float(binom.pmf(ones, size, chance))
        above += weight * (low > chance)
        below += weight * (high < chance)
    assert above <= alpha / 2 and below <= alpha / 2


def test_a_wrong_product_would_be_seen_by_the_binomial_law() -> None:
    """The same sum refutes an end that forgets half of the error."""
    size, chance = 200, 0.3
    wrong = sum(
        float(binom.pmf(ones, size, chance))
        for ones in range(size + 1)
        if lower_end((torch.arange(size) < ones).double(), 0.99) > chance
    )
    assert wrong > 0.05


def test_equal_values_are_told_from_a_mean_below_after_as_many_as_promised() -> None:
    gap, mean, alpha = 4.5e-5, 0.99, 1e-9
    needed = math.ceil(1.01 * samples_needed(gap, mean, alpha))
    assert lower_end(torch.full((needed,), mean + gap, dtype=torch.float64), alpha) > mean
    assert lower_end(torch.full((needed // 2,), mean + gap, dtype=torch.float64), alpha) < mean
    assert samples_needed(0.0, mean, alpha) == math.inf


def test_values_that_never_reach_the_top_keep_the_mean_below_it() -> None:
    low, high = interval(torch.full((5000,), 0.99, dtype=torch.float64), 1.0, 1e-9)
    assert low < 0.99 < high < 1 - 0.009


@pytest.mark.parametrize(
    ("values", "alpha", "told"), [([-1.0], 0.1, "nonnegative"), ([1.0], 1.0, "alpha=1.0")]
)
def test_bad_input_is_named(values: list[float], alpha: float, told: str) -> None:
    with pytest.raises(ValueError, match=told):
        lower_end(torch.tensor(values), alpha)


def test_no_values_above_zero_have_the_end_zero() -> None:
    assert lower_end(torch.zeros(10), 0.1) == 0
