"""The instrument of effects: its decisions against Student's law, and what it refuses."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
import torch
from scipy import stats

from algorithms.catalogue import problem, row
from algorithms.engine.run import run
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.effect_check import Arm, EffectCheck, held
from proofs_check.instruments.measurement import (
    BudgetLeft,
    Measurement,
    at_budget,
    at_end,
    to_reach,
)
from proofs_check.instruments.reaching import reached_at
from proofs_check.instruments.reading import Reading
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep


def test_single_values_are_compared_as_they_are():
    one = np.array([1.0])
    assert held(np.array([0.5]), one, 0.5).outcome is Outcome.SUPPORTED
    assert held(np.array([0.51]), one, 0.5).outcome is Outcome.REFUTED
    assert held(np.array([0.0]), one, 0.5).ratio == 0.0


def test_the_limit_is_that_of_a_paired_test():
    """scipy's one-sided paired test decides the same way on either side of its error."""
    drawn = np.random.default_rng(0)
    theirs = drawn.normal(10.0, 1.0, 20)
    mine = 0.5 * theirs + drawn.normal(-0.1, 0.1, 20)
    p = float(stats.ttest_rel(mine, 0.5 * theirs, alternative="less").pvalue)
    assert held(mine, theirs, 0.5, alpha=1.01 * p).outcome is Outcome.SUPPORTED
    assert held(mine, theirs, 0.5, alpha=0.99 * p).outcome is Outcome.COMPARED


def test_chance_does_not_refute():
    """Equal laws at a ratio of one: at most alpha of the draws are called refuted."""
    drawn = np.random.default_rng(1)
    found = [
        held(drawn.normal(0.99, 0.1, 16), drawn.normal(1.0, 0.1, 16), 0.99).outcome
        for _ in range(500)
    ]
    assert set(found) == {Outcome.COMPARED}


def test_what_diverges_breaks_and_what_never_arrives_is_beaten():
    finite, infinite = np.array([1.0, 1.1]), np.array([1.0, math.inf])
    assert held(infinite, finite, 0.5).outcome is Outcome.REFUTED
    assert held(np.array([math.nan, 1.0]), finite, 0.5).outcome is Outcome.REFUTED
    assert held(finite, np.full(2, math.inf), 0.5).outcome is Outcome.SUPPORTED
    assert held(finite, infinite, 0.5).outcome is Outcome.COMPARED
    assert held(np.full(2, math.inf), np.full(2, math.inf), 0.5).outcome is Outcome.COMPARED


def test_a_baseline_that_arrives_in_some_replicas_costs_its_bound_in_the_others():
    """Its dear replicas are not dropped with the method's: these cost 9 where it did not arrive."""
    theirs = np.array([4.0] * 7 + [math.inf])
    assert held(np.full(8, 3.0), theirs, 0.9).outcome is Outcome.SUPPORTED
    assert held(np.full(8, 3.0), theirs, 0.7).outcome is Outcome.COMPARED
    assert held(np.full(8, 3.0), theirs, 0.7, of_method=False).outcome is Outcome.REFUTED
    dear = np.array([3.0] * 7 + [9.0])
    assert held(dear, theirs, 0.9).ratio == pytest.approx((21 + 9) / 32)
    assert held(dear, theirs, 0.9, least=12.0).ratio == pytest.approx((21 + 9) / 40)
    assert held(dear, theirs, 0.9, least=1.0).ratio == pytest.approx((21 + 9) / 32)


def test_a_baseline_that_never_arrives_costs_at_least_its_whole_run():
    never, mine = np.full(1, math.inf), np.array([30.0])
    found = held(mine, never, 0.5, least=100.0)
    assert (found.outcome, found.ratio) == (Outcome.SUPPORTED, 0.3)
    assert found.told("them") == "30 against at least 100 (them), at most 0.3 of it"
    assert held(mine, never, 0.2, least=100.0).outcome is Outcome.COMPARED
    assert held(never, never, 0.5, least=100.0).outcome is Outcome.COMPARED
    assert held(never, never, 0.5, least=100.0, of_method=False).outcome is Outcome.REFUTED


def test_nothing_is_told_of_two_sides_that_cost_nothing():
    assert held(np.zeros(1), np.zeros(1), 0.5).outcome is Outcome.COMPARED
    assert held(np.zeros(1), np.ones(1), 0.5).outcome is Outcome.SUPPORTED


def test_one_replica_far_above_does_not_hide_a_fault():
    mine = np.array([*np.linspace(1.0, 1.2, 31), 60.0])
    assert held(mine, np.ones(1), 0.5, of_method=False).outcome is Outcome.REFUTED
    assert held(mine, np.ones(1), 0.5).outcome is not Outcome.REFUTED
    low = np.array([*np.linspace(0.1, 0.2, 31), 60.0])
    assert held(low, np.ones(1), 0.5, of_method=False).outcome is not Outcome.REFUTED


def test_sides_of_unequal_length_are_refused():
    with pytest.raises(ValueError, match="equally many replicas or one value, got 3 and 2"):
        held(np.ones(3), np.ones(2), 0.5)


@pytest.mark.parametrize("at_most", [0.0, 1.0, math.nan])
def test_a_claim_of_no_effect_is_refused(at_most):
    with pytest.raises(ValueError, match=r"at_most must lie in \(0, 1\)"):
        _of({side: 1.0 for side in Arm}, at_most)


def test_an_effect_is_supported_and_its_absence_caught():
    verdict, fault = _of({Arm.METHOD: 0.1, Arm.BASELINE: 1.0, Arm.FAULT: 0.9}).result().verdicts
    assert (verdict.outcome, verdict.statistic, verdict.bound) == (Outcome.SUPPORTED, 0.1, 0.5)
    assert "0.1 against 1 (them), 0.1 of it" in verdict.evidence
    assert fault.outcome is Outcome.CAUGHT


def test_readings_are_in_units_of_the_baselines_mean():
    spread = np.array([0.5, 1.5])
    shares = {Arm.METHOD: 0.4 * spread, Arm.BASELINE: 4.0 * spread, Arm.FAULT: np.array([np.inf])}
    found = _of(shares).result().curves[0].readings
    assert found.claimed == 0.5
    assert np.concatenate(found.shares) == pytest.approx([0.05, 0.15, 0.5, 1.5, math.inf])


def test_without_randomness_or_a_finite_baseline_there_are_no_readings():
    assert _of(dict.fromkeys(Arm, 1.0)).result().curves[0].readings is None
    never = {Arm.METHOD: np.ones(2), Arm.BASELINE: np.full(2, np.inf), Arm.FAULT: np.ones(2)}
    assert _of(never).result().curves[0].readings is None


def test_a_method_without_its_effect_and_a_fault_that_has_it_are_refuted():
    verdict, fault = _of({Arm.METHOD: 0.9, Arm.BASELINE: 1.0, Arm.FAULT: 0.1}).result().verdicts
    assert verdict.outcome is fault.outcome is Outcome.REFUTED


def test_a_run_that_passes_a_target_and_diverges_has_not_reached_it():
    trace = _halving()
    passing = replace(trace, suboptimality=np.append(trace.suboptimality[:, :-1], [[1e3]], axis=1))
    assert to_reach(passing, 0.5 * 4.0**-3, "steps").values == pytest.approx([math.inf])


def test_readings_of_a_trace():
    """GD on x^2/2 halves its error's root in every step: all readings are known."""
    trace = _halving()
    assert at_end(trace).values == pytest.approx([0.5 * 4.0**-5])
    assert to_reach(trace, 0.5 * 4.0**-3, "steps").values == pytest.approx([3.0])
    never = to_reach(trace, 1e-9, "steps")
    assert (never.values.tolist(), never.least) == ([math.inf], 5.0)
    assert Reading(target=1e-9).read(trace).least == 5.0
    assert Reading(target=1e-9).read(trace, diverged=True).least == math.inf
    bits = float(trace.sent_bits[0, 1])
    assert at_budget(trace, 2.5 * bits, "sent_bits").values == pytest.approx([0.5 * 4.0**-2])
    with pytest.raises(BudgetLeft, match="give it more steps") as left:
        at_budget(trace, 6 * bits, "sent_bits")
    assert left.value.times == pytest.approx(6 / 5)


def _of(values, at_most=0.5):
    def measure(side):
        value = np.atleast_1d(values[side])
        return Measurement(value, np.array([1.0]), np.ones((len(value), 1)))

    return EffectCheck(
        "d2", "made", "an effect", "what", "we", "them", "nothing left", at_most, measure,
        "x", "y", "Nobody 2020", "nothing drawn",
    )  # fmt: skip


def _halving():
    a = torch.ones(1, 1, dtype=torch.float64)
    problem = Quadratic.from_arrays(a, 0 * a, x0=torch.ones(1, dtype=torch.float64))
    method = row("bsp-sgd").tune(problem, 5, ConstantStep(0.5)).method
    return run(method, problem, steps=5)


def test_one_rule_says_when_a_curve_reaches_a_target():
    curves = np.array([[9.0, 1.0, 0.5, 0.9], [9.0, 1.0, 0.5, 90.0], [9.0, 8.0, 7.0, 6.0]])
    assert reached_at(curves, 1.0).tolist() == [1, -1, -1]
    assert reached_at(curves[0], 0.6) == 2


def test_a_cost_that_is_not_modelled_is_refused():
    """A fault without a clock was called caught: an accuracy that costs NaN is never reached."""
    objective = problem("sparse-linear", 2)
    hogwild = row("hogwild").tune(objective, 4, ConstantStep(0.1)).method
    trace = run(hogwild, objective, steps=4, points=5)
    unclocked = replace(trace, seconds=np.full_like(trace.seconds, np.nan))
    assert to_reach(trace, 1e9, "seconds").values == pytest.approx([0.0])
    with pytest.raises(ValueError, match="models no seconds"):
        to_reach(unclocked, 1e9, "seconds")
