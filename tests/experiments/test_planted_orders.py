"""Wrong orders planted in rows: what refutes them, what tells them apart, what lets them stand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from algorithms.catalogue import Recipe, Row, row
from algorithms.engine.run import one_thread
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from experiments.power.planted_orders import (
    PlantedOutcome,
    cell_of,
    moved,
    orders_of,
    outcome_of,
    planted_in,
)
from proofs_check.instruments.standings import RateStanding
from proofs_check.methods.order_places import copied, one_objective, pair_of
from proofs_check.methods.order_rates import OrderRate, against_order, against_workers
from proofs_check.methods.order_runs import OrderRuns, StepLaw
from proofs_check.methods.tuned_run import tuned_run
from proofs_check.table_iv.exact_orders import exact_order_exponent
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.claims import Confidence, Source
from theory.theorem import HALF, Metric, Order, OrderOnly

SPEEDUP = OrderOnly(
    "made", "", Source("Nobody", 2020, "", ""), Confidence.ORDER, "",
    Metric.AVERAGE_SQUARED_GRADIENT, Order({"T": -HALF, "n": -HALF}),
)  # fmt: skip
"""Order of parallel SGD with gamma = c sqrt(n/T), which noise attains on every quadratic."""

PARALLEL = Row(
    "bsp-sgd", "", "", "",
    Recipe(lambda step, _p, _t: BSP(step), (), problems=("quadratic-sc",), results=(SPEEDUP,)),
)  # fmt: skip


def verdict(outcome: Outcome) -> Verdict:
    return Verdict("a", "b", "c", outcome, kind=CheckKind.RATE)


@pytest.mark.parametrize(("variable", "judge"), [("T", against_order), ("n", against_workers)])
def test_orders_of_parallel_sgd_are_attained_and_planted_ones_are_seen(variable, judge):
    """T^-1/2 n^-1/2 at gamma = c sqrt(n/T) by its exact moments: R2/(gamma T) and gamma L sigma2/n
    are both of that order."""
    problem = Quadratic.strongly_convex(16, 20, sigma2=4.0)
    with one_thread():
        result = tuned_run(PARALLEL, problem, 1000, 32, 3, points=2)
        runs = OrderRuns(result, SPEEDUP)
        true = judge(result, SPEEDUP, runs)
        assert true.standing is RateStanding.ATTAINED
        assert true.verdict.outcome is Outcome.SUPPORTED and "attained" in true.told.evidence
        for by in (Fraction(-1), -HALF, HALF, Fraction(1)):
            found = judge(result, moved(SPEEDUP, variable, by), runs)
            outcome = outcome_of(found, attained=True, faster=by < 0)
            assert outcome is (PlantedOutcome.REFUTED if by < 0 else PlantedOutcome.APART), by


def test_a_planted_power_keeps_the_stepsizes_of_the_true_one():
    """With those of 1/T, 2/(mu (s + t)), the planted order was met where the true one was not."""
    planted = moved(SPEEDUP, "T", -HALF)
    assert StepLaw.of(planted) == StepLaw.of(SPEEDUP)
    assert planted.order is not None and planted.order.exponents == {"T": -1, "n": -HALF}


def test_what_stands_has_its_reason():
    supported = OrderRate(verdict(Outcome.SUPPORTED), RateStanding.FASTER)
    close = OrderRate(verdict(Outcome.COMPARED), RateStanding.COARSE)
    attained = OrderRate(verdict(Outcome.SUPPORTED), RateStanding.ATTAINED)
    assert outcome_of(supported, attained=False, faster=False) is PlantedOutcome.UNSHOWN
    assert outcome_of(supported, attained=False, faster=True) is PlantedOutcome.FASTER
    assert outcome_of(close, attained=False, faster=True) is PlantedOutcome.COARSE
    assert outcome_of(attained, attained=True, faster=True) is PlantedOutcome.COARSE
    assert outcome_of(supported, attained=True, faster=False) is PlantedOutcome.APART
    assert [one for one in PlantedOutcome if one.seen] == ["refuted", PlantedOutcome.APART]


def test_a_variable_that_no_check_looks_at_is_told():
    """As H is, of which no row's order speaks."""
    stated = replace(SPEEDUP, order=Order({"H": 1}))
    one = replace(PARALLEL, recipe=replace(PARALLEL.ready(), results=(stated,)))
    assert list(orders_of(one)) == [(stated, "H")]
    found = planted_in(one, stated, "H", cell_of(row("bsp-sgd")))
    assert {planted.outcome for planted in found.planted} == {PlantedOutcome.UNSEEN}
    assert [planted.power for planted in found.planted] == [0, 0.5, 1.5, 2]


def test_copies_and_one_objective_have_the_same_mean():
    base = Quadratic.strongly_convex(8, 5, zeta2=1.0)
    many = copied(pair_of(base), 3)
    alike = one_objective(base)
    for other in (many, alike):
        assert other.mean_gradient(base.x0).numpy() == pytest.approx(
            base.mean_gradient(base.x0).numpy()
        )
    assert many.n == 6 and alike.constants().zeta2 == pytest.approx(0.0, abs=1e-12)


def test_exact_moments_attain_the_order_of_parallel_sgd():
    """Both terms of the bound are of the order T^-1/2, and noise attains the second."""
    with one_thread():
        result = tuned_run(PARALLEL, Quadratic.strongly_convex(4, 3), 64, 4, 1, points=2)
        slope, half = exact_order_exponent(OrderRuns(result, SPEEDUP))
    assert slope == pytest.approx(-0.5, abs=0.05) and half < 0.1
