"""Allowance for rounding: roots of measured metrics against fractions, and what it takes off."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from algorithms.methods.synchronous.bsp import BSP
from proofs_check.moments.engine import exact_moments
from proofs_check.moments.probe import Probe
from proofs_check.refute.attackers.exact_quadratics import exact_moments_attacker as exact
from proofs_check.refute.instance import QuadraticInstance
from proofs_check.refute.ours import claims_of
from proofs_check.refute.rounding import root_lost, without_rounding
from theory.arrays import Floats
from theory.stepsizes import ConstantStep
from theory.theorem import Metric

TIMES = np.array([1, 2, 5, 20, 100, 400])
METRICS = (
    (Metric.SQUARED_DISTANCE, "squared_distance", 1.0),
    (Metric.SUBOPTIMALITY, "suboptimality", 0.5),
    (Metric.MINIMUM_SQUARED_GRADIENT, "squared_gradient", 2.0),
)


def case(seed: int) -> tuple[QuadraticInstance, float]:
    """A far start, workers apart, and a stepsize next to 1/L, which leaves little of it."""
    rng = np.random.default_rng(seed)
    a, far, zeta = (float(10**power) for power in (rng.uniform(-1, 1), *rng.uniform(2, 6, 2)))
    gamma = float(rng.choice([1 - 1e-4, 0.9, 0.5, 0.01])) / a
    return QuadraticInstance(3, (a,), (far,), zeta, 0.0, 0.0, gamma, 400), gamma


def roots_off(seed: int, name: str, power: float) -> tuple[Floats, float]:
    """How far the root of the metric is off after :data:`TIMES`, and the metric's allowance."""
    told, gamma = case(seed)
    problem = told.problem()
    curve = exact_moments(BSP(ConstantStep(gamma)), problem, TIMES.tolist())
    a = Fraction(told.curvatures[0])
    left = [abs(1 - Fraction(gamma) * a) ** int(t) * Fraction(told.target[0]) for t in TIMES]
    form = {0.5: float(a) / 2, 1.0: 1.0, 2.0: float(a) ** 2}[power]
    true = np.array([float(one) for one in left]) * np.sqrt(form)
    return np.abs(np.sqrt(getattr(curve, name)) - true), true[0]


@pytest.mark.parametrize(("metric", "name", "power"), METRICS)
def test_the_root_of_a_metric_is_off_by_no_more(metric: Metric, name: str, power: float) -> None:
    for seed in range(6):
        told, gamma = case(seed)
        off, _ = roots_off(seed, name, power)
        assert (off <= TIMES * root_lost(metric, told.problem(), ConstantStep(gamma), 400)).all()


def test_maps_read_off_short_vectors_are_off_by_more(monkeypatch: pytest.MonkeyPatch) -> None:
    """Vectors of length 1 beside gradients of 1e5: the map's last digits are lost."""
    exact_ = [roots_off(seed, "squared_distance", 1.0)[0].max() for seed in range(6)]
    monkeypatch.setattr(Probe, "scale", 1.0)
    short = [roots_off(seed, "squared_distance", 1.0)[0].max() for seed in range(6)]
    assert sum(short) > 10 * sum(exact_)


def test_what_is_taken_off_by_hand() -> None:
    """Roots 3 and 1 off by 1/2 a step: 2.5^2 after one, 0 after two; at the start as after one."""
    found = without_rounding(np.array([9.0, 9.0, 1.0]), np.array([0, 1, 2]), 0.5)
    assert found.tolist() == [6.25, 6.25, 0.0]


@pytest.mark.parametrize("units", [(1.0, 1.0), (1e3, 1e-3), (1e-6, 1e6)])
def test_the_allowance_has_the_metrics_dimension(units: tuple[float, float]) -> None:
    x, f = units
    told, gamma = case(0)
    other = told.in_units(x, f)
    assert other.gamma is not None
    for (metric, _, _), size in zip(METRICS, (x**2, f, (f / x) ** 2), strict=True):
        here = root_lost(metric, told.problem(), ConstantStep(gamma), 400)
        there = root_lost(metric, other.problem(), ConstantStep(other.gamma), 400)
        assert there == pytest.approx(here * size**0.5)


def test_a_bound_that_is_met_is_still_seen_to_be_met() -> None:
    """The noise floor of plain SGD at 1/L: what is taken off is far below what counts."""
    (claim, *_) = claims_of("bsp_nonconvex")
    told = QuadraticInstance(1, (1.0,), (1.0,), 0.0, 1.0, 0.0, 1.0, 200)
    assert exact.measure(claim, told).ratio == pytest.approx(1.0, abs=0.01)
