"""Reasons why no rate is stated, and the factor a step that linear methods show instead."""

from __future__ import annotations

import math

import pytest

from algorithms.catalogue import ROWS, row
from algorithms.problems.logistic_data import synthetic
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import L2
from proofs_check.methods.linear_rates import factor_a_step
from proofs_check.methods.run_rates import rate_in_time
from proofs_check.methods.tuned_run import tuned_run
from proofs_check.methods.unstated_rates import (
    _ROWS,
    UnstatedReason,
    counted,
    reason_in,
    unstated_rate,
)
from theory.stepsizes import ConstantStep


def test_listed_rows_are_the_catalogues_and_ready():
    assert set(_ROWS) <= {one.key for one in ROWS if one.recipe is not None}
    assert all(one.what for one in _ROWS.values())


def test_a_row_with_theorems_names_the_assumption_that_fails():
    found = unstated_rate("r2sp", "asysg_con: all workers must share one objective")
    assert found.reason is UnstatedReason.ASSUMPTION and "one objective" in str(found)
    assert unstated_rate(row("downpour:adagrad").base, "").reason is UnstatedReason.PAPER


def test_reasons_are_read_off_the_evidence_and_counted():
    found = [reason_in(f"{one}; measured instead: -0.5") for one in _ROWS.values()]
    assert found == [one.reason for one in _ROWS.values()]
    assert reason_in("exponent of T -0.5") is None
    assert counted([UnstatedReason.PAPER] * 2).startswith("2: the sources state no rate; 0: ")


@pytest.mark.parametrize("gamma", [0.5, 0.25])
def test_gradient_descent_falls_by_its_curvatures_factor(gamma: float):
    """On x^2 / 2 a step of gamma leaves (1 - gamma)^2 of the squared distance, whatever noise the
    problem has beside."""
    problem = Quadratic.strongly_convex(2, 1, mu=1.0, sigma2=1.0)
    result = tuned_run(row("bsp-sgd"), problem, 30, 2, 1, ConstantStep(gamma))
    found = factor_a_step(result, gamma)
    assert found.statistic == pytest.approx(2 * math.log(1 - gamma), rel=1e-9)
    assert found.uncertainty == pytest.approx(0, abs=1e-9)


def test_a_minimum_that_is_reached_at_once_has_no_factor():
    problem = Quadratic.strongly_convex(2, 1, mu=1.0)
    result = tuned_run(row("bsp-sgd"), problem, 30, 2, 1, ConstantStep(1.0))
    with pytest.raises(ValueError, match="a factor needs eight"):
        factor_a_step(result, 1.0)


def test_noise_that_cannot_be_taken_away_leaves_no_factor():
    """Of a mini-batch's gradient; a dual method draws none, and keeps its factor."""
    problem, step = synthetic(4, 8, 3, L2(1.0), batch=1), ConstantStep(0.1)
    with pytest.raises(ValueError, match="cannot be taken away"):
        factor_a_step(tuned_run(row("bsp-sgd"), problem, 30, 2, 1, step), 0.1)
    found = factor_a_step(tuned_run(row("dual-accelerated"), problem, 30, 2, 1), 0.1)
    assert found.statistic is not None and found.statistic < 0


def test_laq_shows_its_factor_and_not_its_stepsizes_power():
    problem = Quadratic.strongly_convex(4, 10, sigma2=1.0, zeta2=1.0)
    found = rate_in_time(tuned_run(row("laq"), problem, 200, 4, 1))
    assert found.evidence.startswith(UnstatedReason.LINEAR.value)
    assert "factor a step 0." in found.evidence and found.statistic is not None
    assert -1 < found.statistic < 0, "an exponent of e in steps, below that of one Newton step"
