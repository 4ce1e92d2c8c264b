"""Misprints of the surveys as theorems, and what attacking them found wrong in the attacks."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, final

import numpy as np
import pytest
import torch

import rateproof
from algorithms.methods.base import RunContext
from algorithms.methods.local_updates.local_sgd import LocalSGD, LocalSGDState
from algorithms.problems.quadratic import Quadratic
from proofs_check.methods.faulty.faulty_method import FaultyMethod
from proofs_check.moments.engine import exact_moments
from proofs_check.moments.reasons import NotLinear, Reason
from proofs_check.refute.attack import attack
from proofs_check.refute.attackers.bent_lines import bent_lines
from proofs_check.refute.attackers.exact_quadratics import exact_moments_attacker as exact
from proofs_check.refute.attackers.run_quadratics import run_quadratics
from proofs_check.refute.instance import QuadraticInstance
from proofs_check.refute.ours import claims_of
from proofs_check.refute.outcome import Standing
from proofs_check.refute.planted import MISREADINGS, MisreadLimit, planted
from proofs_check.refute.quadratics import LONG, quick
from proofs_check.refute.rounding import root_lost
from proofs_check.refute.survey_errors import survey_errors
from theory.stepsizes import ConstantStep
from theory.survey.errata import ERRATA
from theory.theorem import Metric
from theory.theorems.asysg_con import asysg_con

ERRORS = survey_errors()


def test_each_is_an_erratum_of_the_surveys() -> None:
    known = {one.id for one in ERRATA}
    assert {one.name.split(",")[0] for one in ERRORS} <= known
    assert len({one.name for one in ERRORS}) == len(ERRORS)


def test_the_root_of_tau_in_a_limit_by_hand() -> None:
    """2/(L M (1 + sqrt(1 + 8 tau^2))) with 3 for tau = 9: 2/(1 + sqrt(73)), L = M = 1."""
    claim = claims_of("asysg_con")[0]
    wrong = dict(planted(claim))["the root of tau, in limit and bound"]
    c = asysg_con.example.state(None, L=1.0, tau=9).completed()
    longest = 2 / (1 + 73**0.5)
    assert not wrong.theorem.violations(c, ConstantStep(longest * 0.999), 10)
    assert wrong.theorem.violations(c, ConstantStep(longest * 1.001), 10)
    y, delta, noise = 0.1, c.need("initial_gap"), c.need("sigma2")
    due = 2 * delta / (y * 10) + (y + 2 * y**2 * 3) * noise
    assert wrong.theorem.bound(c, ConstantStep(y), np.array([10.0]))[0] == pytest.approx(due)


@pytest.mark.slow
def test_the_root_of_tau_in_limit_and_bound_is_refuted() -> None:
    claim = claims_of("asysg_con")[0]
    wrong = dict(planted(claim))["the root of tau, in limit and bound"]
    found = attack("root of tau", [wrong], budget=60, workers=1, clock=time.process_time)
    assert found.standing is Standing.REFUTED


def test_what_shortens_a_limit_is_not_planted_in_it() -> None:
    """Twice the curvature leaves 1/L as it is."""
    names = dict(planted(claims_of("bsp_strongly_convex")[0]))
    assert "half of L, in limit and bound" in names
    assert "twice the curvature, in limit and bound" not in names


# What a user's own theorem met.


def test_a_stepsize_that_holds_t_is_attacked() -> None:
    """x_T of gamma = 1/sqrt(T) on x^2/2 with noise has about half of the noise's gamma."""
    mine = rateproof.claim(
        "one over T", method="bsp-sgd", metric="suboptimality", stepsize="1/(L*sqrt(T))",
        bound="2*(L*R2 + sigma2/L)/T",
    )  # fmt: skip
    told = exact.measure(
        mine, QuadraticInstance(1, (1.0,), (0.0,), 0.0, 1.0, 0.0, 1 / 900**0.5, 900)
    )
    assert told.measured == pytest.approx(1 / 30 / (2 * (2 - 1 / 30)), rel=1e-9)
    u = np.full(exact.coordinates(mine), 0.9)
    made = exact.instance(mine, u)
    assert made.gamma == pytest.approx(1 / (made.curvatures[0] * made.steps**0.5))


@final
@dataclass(frozen=True)
class AnchorDropped(FaultyMethod):
    """Local SGD whose state has no anchor after the first step."""

    step_rule: Any
    period: int = 4

    @property
    def right(self) -> LocalSGD:
        return LocalSGD(self.step_rule, self.period)

    def step(self, state: LocalSGDState, t: int, context: RunContext) -> LocalSGDState:
        return LocalSGDState(state.x - self.step_rule(t) * context.gradient(state.x, t))


def test_a_state_that_loses_a_part_is_refused_by_the_field() -> None:
    problem = Quadratic.strongly_convex(2, 2)
    with pytest.raises(NotLinear, match=r"there at some steps alone .field anchor") as caught:
        exact_moments(AnchorDropped(ConstantStep(0.1)), problem, [4])
    assert caught.value.reason is Reason.SHAPE


def test_rounding_of_a_far_mean_is_no_disagreement() -> None:
    """Eight equal workers at 100: means of 100 are off by some 1e-14, the potential by 1e-28."""
    claim = claims_of("gossip_averaging")[0]
    told = QuadraticInstance(8, (1.0,), (100.0,), 0.0, 0.0, 0.0, 1.0, 64)
    (metric,) = {claim.theorem.metric}
    assert metric.of_agreement
    lost = root_lost(metric, told.problem(), ConstantStep(1.0), 64)
    assert 1e-14 < lost < 1e-10
    assert root_lost(Metric.AVERAGE_REGRET, told.problem(), ConstantStep(1.0), 64) == 0


def test_a_fault_made_of_a_constant_stepsize_runs_as_long() -> None:
    claim = claims_of("pr_sgd")[0]
    misread = MISREADINGS[0].misread
    wrong = claim.about(MisreadLimit(claim.theorem, misread))
    assert quick(wrong) and exact.longest(wrong) == exact.longest(claim) == LONG


def test_heterogeneity_in_one_coordinate_by_hand() -> None:
    """f_i' = a (x - b) -+ zeta in the coordinate named, 0 apart in the other."""
    told = QuadraticInstance(
        2, (2.0, 1.0), (0.5, 0.25), zeta=3.0, sigma=0.0, apart=0.0, gamma=None, steps=4, only=1
    )
    g = told.problem().all_gradients(torch.zeros(2, dtype=torch.float64))
    assert g.tolist() == [[-1.0, 2.75], [-1.0, -3.25]]
    both = replace(told, only=None).problem().all_gradients(torch.zeros(2, dtype=torch.float64))
    assert both.tolist() == [[2.0, 2.75], [-4.0, -3.25]]
    fewer = [one for one in told.simpler() if one.d == 1]
    assert [(one.target, one.zeta, one.only) for one in fewer] == [
        ((0.25,), 3.0, None), ((0.5,), 0.0, None),
    ]  # fmt: skip


def test_every_coordinate_is_drawn_alone_and_with_the_others() -> None:
    claim = claims_of("ef_sgd_workers")[0]
    seen = set()
    for u in np.linspace(0, 1, 21):
        point = np.full(run_quadratics.coordinates(claim), 0.5)
        point[0], point[11] = 0.8, u
        made = run_quadratics.instance(claim, point)
        seen.add(made.only)
        assert made.d == 2
    assert seen == {None, 0, 1}


def test_lines_are_tried_with_other_networks() -> None:
    """The last number is W's: D-PSGD's own ring where parts stay, w I + (1 - w) J else."""
    claim = claims_of("d_psgd")[0]
    size = bent_lines.coordinates(claim)
    assert size == 14 + 1 + 1
    u = np.full(size, 0.5)
    u[14:] = 0.0, 0.2
    own = bent_lines.measure(claim, bent_lines.instance(claim, u))
    u[14] = 1.0
    other = bent_lines.measure(claim, bent_lines.instance(claim, u))
    n = own.constants["n"]
    assert other.instance.parts == (0.2,) and own.instance.parts == ()  # type: ignore[attr-defined]
    assert other.constants["lam"] == pytest.approx(1 - 0.2 * n / (n - 1))
    assert own.constants["lam"] != pytest.approx(other.constants["lam"])
    assert replace(other.instance, parts=()) in list(other.instance.simpler())  # type: ignore[type-var]


def test_a_method_with_few_replicas_is_refuted_without_simulated_runs() -> None:
    wrong = next(one for one in ERRORS if one.name.startswith("E1,"))
    told = QuadraticInstance(2, (1.0,), (1.0,), 0.0, 0.0, 0.0, 1 - 1e-9, 8)
    found = exact.confirm(wrong, exact.measure(wrong, told))
    assert "no simulated runs: the schedule is drawn for" in found.how
