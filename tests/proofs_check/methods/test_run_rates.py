"""Rates of runs: decided against the bound's own slope, and refuted where the order is wrong."""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np
import pytest

from algorithms.catalogue import Recipe, Row, problem, row
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.instruments.under_bound import late_bound_verdict
from proofs_check.methods.rate_looks import HorizonCurve, batched, joined
from proofs_check.methods.run_rates import rate_in_time
from proofs_check.methods.tuned_run import tuned_run
from proofs_check.verdict import Outcome, Verdict
from theory.claims import Confidence, Source
from theory.stepsizes import ConstantStep
from theory.theorem import Metric, Order, OrderOnly
from theory.theorems.bsp_nonconvex import BspNonconvex, bsp_nonconvex


def rate(one: Row, built, steps: int = 128, replicas: int = 32) -> Verdict:
    return rate_in_time(tuned_run(one, built, steps, replicas, 3))


@dataclass(frozen=True)
class FallsTooFast(BspNonconvex):
    """A planted fault: T^-1 for T^-1/2, as where a square root is left out."""

    order = Order({"T": -1})

    def bound(self, c, step, times):
        return bsp_nonconvex.bound(c, step, times) / np.sqrt(times)


@dataclass(frozen=True)
class Cautious(BspNonconvex):
    """Constants a million times too large, and stepsizes a thousand times too small."""

    def bound(self, c, step, times):
        return 1e6 * bsp_nonconvex.bound(c, step, times)

    def stepsize(self, c, horizon):
        return ConstantStep(bsp_nonconvex.stepsize(c, horizon)(0) / 1000)


@dataclass(frozen=True)
class CautiousAndWrong(Cautious):
    """A planted fault: T^-3 for T^-1/2."""

    order = Order({"T": -3})


def made(*theorems, results=()) -> Row:
    recipe = Recipe(
        lambda step, _p, _t: BSP(step), theorems, problems=("quadratic-sc",),
        why="none is stated", results=results,
    )  # fmt: skip
    return Row("bsp-sgd", "", "", "", recipe)


LOUD = Quadratic.strongly_convex(4, 6, sigma2=4.0, R2=4.0)


def test_a_rate_is_held_against_the_slope_of_its_bound():
    right, wrong = (rate(made(one), LOUD) for one in (bsp_nonconvex, FallsTooFast()))
    assert right.outcome is Outcome.SUPPORTED and right.bound is not None
    assert wrong.outcome is Outcome.REFUTED, "at both looks"
    assert "at the first look slower" in wrong.evidence and "2048" in wrong.claim


def test_where_the_bound_is_above_the_start_its_order_is_looked_at_without_its_constants():
    right, wrong = (rate(made(one), LOUD) for one in (Cautious(), CautiousAndWrong()))
    assert right.outcome is Outcome.SUPPORTED and "order alone" in right.claim
    assert "its bound is above the start at T = 256" in right.evidence
    assert wrong.outcome is Outcome.REFUTED and "order alone" in wrong.claim


def test_a_coarse_rate_is_decided_with_more_replicas():
    found = rate(row("bsp-sgd"), problem("quadratic-sc", 4), steps=200, replicas=32)
    assert found.outcome is Outcome.SUPPORTED
    assert "at the first look too coarse" in found.evidence and "128 replicas" in found.evidence


def test_a_rate_that_nobody_states_is_measured_and_says_why():
    found = rate(row("bmuf"), problem("quadratic-sc", 4), steps=128, replicas=8)
    assert found.outcome is Outcome.NOT_APPLICABLE
    assert found.statistic is not None and found.uncertainty is not None
    assert "no convergence theorem" in found.evidence and "measured instead" in found.evidence


def as_it_is(one: Row) -> Row:
    """Without the parameters that its order asks for."""
    return replace(one, recipe=replace(one.ready(), as_stated=None))


def stated(power: Fraction | int) -> OrderOnly:
    return OrderOnly(
        "made", "", Source("Nobody", 2020, "", ""), Confidence.ORDER, "",
        Metric.AVERAGE_SQUARED_GRADIENT, Order({"T": power}),
    )  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize(("key", "power"), [("lars", -0.71), ("lamb", -0.51)])
def test_steps_that_are_shares_of_layers_are_measured_where_they_move(key: str, power: float):
    """From 1 / L they moved nothing: T^0.000. The order that is stated asks for batches of T."""
    found = rate(as_it_is(row(key)), problem("mlp-digits-levels", 16), steps=200, replicas=8)
    assert found.outcome is Outcome.NOT_APPLICABLE and "batches as large" in found.evidence
    assert found.statistic == pytest.approx(power, abs=0.2)


@pytest.mark.slow
def test_an_order_is_looked_at_where_its_stepsizes_are():
    """With alpha ~ T^(-1/6); with 1/sqrt(T) steps shrink so fast that the rate is left open."""
    base, stage = row("quantimed-dsgd"), problem("quadratic-sc", 8)
    own = rate(base, stage, steps=800, replicas=16)
    assert own.outcome is Outcome.SUPPORTED and own.theorem == "quantimed_nonconvex"
    recipe = replace(base.ready(), results=(stated(Fraction(-1, 3)),))
    other = rate(replace(base, recipe=recipe), stage, steps=800, replicas=16)
    assert other.outcome is not Outcome.SUPPORTED
    assert own.statistic is not None and other.statistic is not None
    assert own.statistic < other.statistic


def test_an_order_for_parameters_that_follow_the_horizon_does_not_speak_of_fixed_ones():
    found = rate(as_it_is(row("cmfl")), problem("quadratic-sc", 4), steps=256, replicas=8)
    assert found.outcome is Outcome.NOT_APPLICABLE and "threshold that decays" in found.evidence
    assert found.statistic is not None
    follows = rate(row("cmfl"), problem("quadratic-sc", 16), steps=1000, replicas=32)
    assert follows.outcome is Outcome.SUPPORTED and follows.theorem == "cmfl"


def test_an_order_without_constants_can_fail():
    right, wrong = (
        rate(made(results=(stated(power),)), problem("quadratic-sc", 4), steps=512)
        for power in (Fraction(-1, 4), -3)
    )
    assert right.outcome is Outcome.SUPPORTED and right.theorem == "made"
    assert wrong.outcome is Outcome.REFUTED and "at the first look slower" in wrong.evidence


def test_batches_of_one_replica_form_a_group():
    def curve(many: int, seed: int) -> HorizonCurve:
        return HorizonCurve(np.array([1.0, 2.0, 4.0]), seed + np.zeros((many, 3)), np.ones(3), many)

    found = batched(curve, 32, 1)
    assert found.samples.shape == (128, 3) and found.groups == 64
    assert (found.samples[0] != found.samples[1]).all(), "neighbours are one replica's batches"
    assert joined([curve(4, 1)]).groups == 4


@pytest.mark.parametrize(("bound", "outcome"), [(0.5, Outcome.SUPPORTED), (2.0, Outcome.COMPARED)])
def test_a_bound_above_the_start_says_nothing(bound: float, outcome: Outcome):
    samples = np.random.default_rng(1).uniform(0.05, 0.15, (16, 10))
    samples[:, 0] = 1.0
    found = late_bound_verdict(
        1.0, samples, np.full(10, bound), 1e-3, subject="a", problem="b", theorem="c", provenance=""
    )
    assert found.outcome is outcome
    assert found.tightness == pytest.approx(samples.mean(axis=0)[5:].max() / bound)
    assert ("vacuous" in found.evidence) == (outcome is Outcome.COMPARED)
