"""Exact exponents of Table IV: known laws, planted orders, schedules that come again."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch

from algorithms.core.key import Key
from algorithms.methods.synchronous.bsp import BSP
from algorithms.synchronisation.barriers import Asynchronous
from proofs_check.instruments.standings import NEAR, RateStanding, standing_of
from proofs_check.methods.order_places import copied
from proofs_check.table_iv.cyclic_times import CyclicTimes
from proofs_check.table_iv.exact import exact_exponent, runs_exactly, small
from proofs_check.table_iv.exact_result import exact_verdict
from proofs_check.table_iv.planted import PLANTED, planted_standings
from proofs_check.table_iv.trials import TRIALS
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep
from theory.survey.classification import Objective

BSP_CONVEX, BSP_NONCONVEX = (TRIALS[f"PS, BSP, Null, {one}"] for one in Objective)
GOSSIP = TRIALS["Gossip, BSP, Null, non-convex"]


def test_the_exponents_of_plain_sgd_are_the_textbooks() -> None:
    """1/(nT) at c/(mu (a + t)), 1/sqrt(nT) at c sqrt(n/T) (Bottou, Curtis, Nocedal 2018)."""
    for trial, power in ((BSP_CONVEX, -1.0), (BSP_NONCONVEX, -0.5)):
        for variable in ("T", "n"):
            found = exact_exponent(trial, variable)
            assert found.slope == pytest.approx(power, abs=1e-3)
            assert found.half_width <= 0.02
            assert found.formula is not None
            assert found.formula.power == pytest.approx(power, abs=1e-3)


def test_the_error_of_plain_sgd_is_that_of_its_recursion() -> None:
    """x' = (1 - gamma a) x - gamma noise, coordinate by coordinate; the metric is ||x - x*||^2."""
    found = exact_exponent(BSP_CONVEX, "T")
    problem = small(BSP_CONVEX, BSP_CONVEX.n)
    rule, steps = BSP_CONVEX.rule(problem, 1), 2**12
    second = (problem.x0 - problem.x_star).numpy() ** 2
    for t in range(steps):
        gamma = rule(t)
        keep = 1 - gamma * problem.a[0].numpy()
        second = keep**2 * second + gamma**2 * problem.sigma2 / problem.d / problem.n
    assert found.values[0] == pytest.approx(second.sum(), rel=1e-9)


@pytest.mark.parametrize("gamma", [0.4, 1e-13])
def test_a_method_with_other_stepsizes_than_it_is_given_is_refuted(gamma: float) -> None:
    """A planted fault: a floor, or steps that go nowhere."""
    stuck = replace(
        BSP_NONCONVEX.row.ready(),
        build=lambda s, _p, _t: BSP(ConstantStep(gamma * (1 + 1e-9 * s(0)))),
    )
    mutant = replace(BSP_NONCONVEX, row=replace(BSP_NONCONVEX.row, recipe=stuck))
    found = exact_exponent(mutant, "T")
    verdict = exact_verdict(mutant, "T", found)
    assert verdict.outcome is Outcome.REFUTED


@pytest.mark.slow
def test_all_that_is_looked_for_exactly_is_found() -> None:
    """Nobody falls back to runs in silence; without operators a linear method's exponents have
    three digits."""
    for trial in TRIALS.values():
        for variable in (one for one in trial.variables if runs_exactly(trial, one)):
            found = exact_exponent(trial, variable)
            assert trial.scheduled or found.half_width <= 0.02, trial.cell_name(variable)


def test_planted_orders_never_stand() -> None:
    for trial in (BSP_CONVEX, BSP_NONCONVEX):
        for variable in trial.variables:
            found = exact_exponent(trial, variable)
            true = standing_of(found.slope, found.half_width, trial.order_in(variable), None)
            assert true is RateStanding.ATTAINED
            planted = dict(planted_standings(trial, variable, found))
            assert len(planted) == len(PLANTED)
            assert not any(standing.agrees for standing in planted.values())


def test_an_exponent_is_exact_where_the_method_is_linear() -> None:
    exact = {name for name, one in TRIALS.items() if runs_exactly(one, "n")}
    assert {name.rpartition(",")[0] for name in exact} == {
        "PS, BSP, Null", "PS, L-SGD, Null", "Gossip, BSP, Null", "Gossip, L-SGD, Null",
    }  # fmt: skip
    late = {name for name, one in TRIALS.items() if runs_exactly(one, "T")} - exact
    assert late == {f"{line}, Null, {one}" for line in ("PS, SSP", "PS, ASP", "Gossip, ASP")
                    for one in Objective}  # fmt: skip


def test_gossip_on_unequal_quadratics_costs_no_power_of_the_gap_far_out() -> None:
    found = exact_exponent(GOSSIP, "gap")
    assert abs(found.slope) < NEAR and len(found.x) == 4
    assert (found.x[1:] / found.x[:-1] >= 2).all()


def test_copies_leave_the_objective_as_it_is() -> None:
    base = small(GOSSIP, 2)
    whole = copied(base, 4)
    x = torch.randn(5, base.d, dtype=base.dtype, generator=torch.Generator().manual_seed(1))
    assert whole.n == 8
    torch.testing.assert_close(whole.mean_gradient(x), base.mean_gradient(x))
    torch.testing.assert_close(whole.x_star, base.x_star)


def test_cyclic_times_come_again_and_nobody_is_faster() -> None:
    n, count, rounds = 4, 3, 20
    times = CyclicTimes(count, seed=7)
    schedule = Asynchronous().schedule(n, n * count * rounds, times, Key.seed(0), torch.tensor([0]))
    arrivals = schedule.arrivals[:, 0, 0].numpy().reshape(rounds, n * count)
    np.testing.assert_array_equal(arrivals[5:], np.broadcast_to(arrivals[5], arrivals[5:].shape))
    assert (np.bincount(arrivals[5], minlength=n) == count).all()
