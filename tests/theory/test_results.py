"""Orders and results on mean estimation are what they say."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest

from theory.claims import Confidence
from theory.estimation import ESTIMATION
from theory.estimation.atomic_sparsification import AtomicSparsification
from theory.estimation.k_level import KLevelEstimation
from theory.estimation.randomised_mean import RandomisedMean
from theory.estimation.rotated_k_level import RotatedKLevel
from theory.estimation.stochastic_binary import stochastic_binary
from theory.estimation.variable_length import variable_length
from theory.orders import ORDERS
from theory.theorem import MeanEstimation, OrderOnly, Result
from theory.theorems import THEOREMS
from theory.theorems.reached import Reached

RESULTS: tuple[Result, ...] = (*ESTIMATION, *ORDERS)


@pytest.mark.parametrize("result", RESULTS, ids=lambda r: r.name)
def test_results_cite_and_state(result: Result) -> None:
    assert result.title and result.statement and result.source.year >= 2003
    assert result.title in str(result) and str(result.source) in str(result)


@pytest.mark.parametrize("order", ORDERS, ids=lambda r: r.name)
def test_orders_can_never_be_asserted(order: OrderOnly) -> None:
    assert not order.confidence.assertable and order.assumes
    with pytest.raises(ValueError, match="confidence must be MEMORY or ORDER"):
        replace(order, confidence=Confidence.CERTAIN)


@pytest.mark.parametrize("result", ESTIMATION, ids=lambda r: r.name)
def test_estimation_falls_with_the_workers(result: MeanEstimation) -> None:
    one = result.bound(1, 1024, 3.0)
    assert one == pytest.approx(3 * result.omega(1024), rel=1e-14)
    assert result.bound(8, 1024, 3.0) == pytest.approx(one / 8, rel=1e-14)
    assert result.bits(2048) > 0
    with pytest.raises(ValueError, match="n and d must be at least 1"):
        result.bound(0, 4, 1.0)


def test_sharp_constants_lie_below_the_papers() -> None:
    for d in (1, 2, 3, 17, 1000):
        assert stochastic_binary.omega(d) <= d / 2
        assert KLevelEstimation(2).omega(d) == stochastic_binary.omega(d)
        for k in (2, 3, 16):
            assert (
                KLevelEstimation(k).omega(d)
                <= KLevelEstimation(k, True).omega(d)
                <= d / (2 * (k - 1) ** 2)
            )
            assert RotatedKLevel(k).omega(d) <= (2 * math.log(d) + 2) / (k - 1) ** 2
    for d in (4, 16, 1024):  # squares: k - 1 = sqrt(d)
        assert variable_length.omega(d) == (d - 1) / (2 * d) < 0.5


def test_vectors_of_the_reference() -> None:
    # (0, 1, 4): two levels vary by 3 and take 67 bits, three levels vary by 1
    assert 3 <= stochastic_binary.omega(3) * 17 and stochastic_binary.bits(3) == 67
    assert 1 <= KLevelEstimation(3).omega(3) * 17 and KLevelEstimation(3).bits(3) == 3 * 2 + 64
    # ATOMO on (3, -4, 0, 12), budgets of QSGD and TernGrad: second moments 247 and 228
    for budget, moment in ((19 / 13, 247), (19 / 12, 228)):
        assert 19**2 / budget == pytest.approx(moment, rel=1e-14)
        assert moment / 169 - 1 <= AtomicSparsification(budget).omega(4)


def test_bad_parameters_are_refused() -> None:
    with pytest.raises(ValueError, match="k must be at least 2 levels, got k=1"):
        KLevelEstimation(1)
    with pytest.raises(ValueError, match="k must be at least 2 levels, got k=0"):
        RotatedKLevel(0)
    with pytest.raises(ValueError, match=r"share must lie in \(0, 1\], got share=0"):
        RandomisedMean(0)
    with pytest.raises(ValueError, match="budget must be positive, got budget=0"):
        AtomicSparsification(0)
    with pytest.raises(ValueError, match="budget must be at most d, got budget=5 with d=4"):
        AtomicSparsification(5).omega(4)


def test_orders_that_papers_have_are_told_from_those_derived_here() -> None:
    published = {t.name for t in THEOREMS if isinstance(t, Reached) and t.published}
    assert {"pqasgd", "sgp", "ad_psgd", "unbounded_delays"} <= published
    assert not {"perturbed_iterate", "ecq_sgd"} & published
