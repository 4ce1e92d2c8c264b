"""Monte-Carlo tests: their error is below what is stated, and they see what they say they see."""

from __future__ import annotations

import math

import pytest
import torch
from scipy import stats
from torch import Tensor

from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.terngrad import TernGrad
from algorithms.compressors.top_k import TopK
from algorithms.core.key import Key
from proofs_check.instruments.statistics import (
    TEST_ERROR,
    ErrorBudget,
    bound_test,
    half_width,
    mean_test,
    sample,
)


def test_a_budget_is_split_evenly() -> None:
    assert ErrorBudget().alpha == pytest.approx(TEST_ERROR) and TEST_ERROR == pytest.approx(1e-10)
    assert ErrorBudget(1e-6, 10).split(4).alpha == pytest.approx(2.5e-8)
    with pytest.raises(ValueError, match=r"total must lie in \(0, 1\), got total=2"):
        ErrorBudget(2.0)
    with pytest.raises(ValueError, match="tests must be at least 1, got tests=0"):
        ErrorBudget(1e-6, 0)
    with pytest.raises(ValueError, match="samples must be at least 2, got samples=1"):
        half_width(torch.ones(1), 1.0, 0.1)


def _most(trials: int, alpha: float) -> int:
    """Refutations that trials of error alpha exceed with probability below 1e-9."""
    return int(stats.binom.isf(1e-9, trials, alpha))


@pytest.mark.parametrize("p", [0.5, 0.01, 0.001])
def test_half_widths_cover_bernoulli_means(p: float) -> None:
    alpha, trials = 0.05, 2000
    generator = torch.Generator().manual_seed(11)
    draws = (torch.rand(500, trials, generator=generator, dtype=torch.float64) < p).double()
    missed = (draws.mean(0) - p).abs() > half_width(draws, 1.0, alpha)
    assert int(missed.sum()) <= _most(trials, alpha)


def test_half_width_is_the_published_bound_by_hand() -> None:
    """S = 5, values 0 and 1: V = 3/10, R = 1, alpha = 4/e: sqrt(0.6/5) + 7/12."""
    values = torch.tensor([0.0, 0.0, 0.0, 1.0, 1.0], dtype=torch.float64)
    width = half_width(values, 1.0, 4 / math.e)
    assert float(width) == pytest.approx(math.sqrt(0.12) + 7 / 12)


@pytest.mark.parametrize("member", [QSGD(1), TernGrad(), RandK(1), RandK(3)], ids=lambda m: m.name)
def test_true_claims_are_rarely_refuted(member: QSGD | TernGrad | RandK) -> None:
    """At error 0.05 a test, over vectors whose rare outcomes are mostly unseen."""
    alpha, trials, d = 0.05, 200, 40
    refuted = 0
    for seed in range(trials):
        key = Key.seed(seed)
        x = _heavy(key, d)
        flat = torch.ones_like(x)
        gain = float(sample(member, flat, 100, key.fold("flat")).abs().max())
        refuted += mean_test(sample(member, x, 100, key.fold("x")), x, alpha, gain).refuted
    assert refuted <= _most(trials, alpha)


def _heavy(key: Key, d: int) -> Tensor:
    normal = key.draws(torch.arange(2), torch.zeros(1, dtype=torch.int64)).normal(d, torch.float64)
    return normal[0, 0] / normal[1, 0].abs()


def test_a_bias_of_the_stated_resolution_is_refuted() -> None:
    x = torch.linspace(-1, 2, 50, dtype=torch.float64)
    outcomes = sample(QSGD(4), x, 4000, Key.seed(2))
    honest = mean_test(outcomes, x, 1e-9)
    assert not honest.refuted and honest.deviation <= honest.half_width
    biased = mean_test(outcomes + honest.resolution * x, x, 1e-9)
    assert biased.refuted
    assert not mean_test(outcomes + 0.1 * honest.resolution * x, x, 1e-9).refuted


def test_a_bias_of_one_coordinate_is_named() -> None:
    x = torch.ones(20, dtype=torch.float64)
    outcomes = sample(QSGD(8), x, 4000, Key.seed(3))
    outcomes[:, 7] += 1.0
    found = mean_test(outcomes, x, 1e-9)
    assert found.refuted and found.where == "x[7]"


def test_a_bound_is_refuted_where_the_mean_exceeds_it_by_the_resolution() -> None:
    x = torch.ones(16, dtype=torch.float64)
    error = (sample(QSGD(1), x, 20_000, Key.seed(4)) - x).square().sum(-1) / 16
    held = bound_test(error, 3.0, 1e-9, size=1.0)
    assert not held.refuted and held.mean == pytest.approx(3.0, abs=held.half_width)
    assert bound_test(error, 3.0 - held.resolution, 1e-9, size=1.0).refuted
    assert not bound_test(error, 3.0 + held.resolution, 1e-9, size=1.0).refuted


def test_what_is_not_random_has_no_sampling_error() -> None:
    x = torch.arange(1.0, 5.0, dtype=torch.float64)
    outcomes = sample(TopK(3), x, 1, Key.seed(0))
    found = mean_test(outcomes, x, 1e-9, random=False)
    assert found.refuted and found.where in ("x[0]", "along ones")
    error = (outcomes - x).square().sum(-1) / 30
    assert not bound_test(error, 1 / 30, 1e-9, 1.0, random=False).refuted
    assert bound_test(error, 0.99 / 30, 1e-9, 1.0, random=False).refuted


@pytest.mark.parametrize("lost", [math.nan, math.inf])
@pytest.mark.parametrize("random", [True, False])
def test_what_is_not_finite_is_refuted(lost: float, random: bool) -> None:
    x = torch.ones(6, dtype=torch.float64)
    outcomes = x.repeat(100, 1)
    assert not mean_test(outcomes, x, 1e-9, random=random).refuted
    outcomes[40, 2] = lost
    assert mean_test(outcomes, x, 1e-9, random=random).refuted
    error = (outcomes - x).square().sum(-1) / 6
    assert bound_test(error, 5.0, 1e-9, 1.0, random=random).refuted


def test_samples_are_replicas_and_differ() -> None:
    x = torch.ones(8, dtype=torch.float64)
    outcomes = sample(RandK(1), x, 4000, Key.seed(5))
    counts = (outcomes != 0).sum(0)
    assert outcomes.shape == (4000, 8) and ((outcomes != 0).sum(-1) == 1).all()
    assert stats.chisquare(counts.numpy()).pvalue > 1e-9
