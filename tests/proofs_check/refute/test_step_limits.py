"""Stepsize limits at their edge: by hand, planted longer, and one record for each theorem."""

from __future__ import annotations

from dataclasses import asdict, replace

import pytest

from proofs_check.refute.attackers.exact_quadratics import exact_moments_attacker
from proofs_check.refute.instance import QuadraticInstance
from proofs_check.refute.limited import has_limit, limited_theorems, longer
from proofs_check.refute.ours import claims_of
from proofs_check.refute.planted import FalseTheorem
from proofs_check.refute.planted_limits import MisreadLimit, halved, halves, refuted
from proofs_check.refute.quadratics import allowed
from proofs_check.refute.step_limits import TIGHT, LimitRecord, beyond, limit_verdict, made, records
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep, InverseRootStep, InverseTimeStep, WarmUpStep
from theory.theorem import Theorem
from theory.theorems.asysg_con import asysg_con
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.choco_gossip import choco_gossip
from theory.theorems.dgd import dgd
from theory.theorems.local_sgd import local_sgd

UNCONFIRMED = "not confirmed in fractions"
LINE = QuadraticInstance(1, (1.0,), (1.0,), 0.0, 0.0, 0.0, 1.04, 1)
"""x^2/2 from distance 1, one step of 1.04: ||grad f(x_0)||^2 = 1 above 2 (1/2)/1.04."""
BY_HAND = LimitRecord(
    "bsp_nonconvex", 1.04, 1, claims_of("bsp_nonconvex")[0].name, "exact", asdict(LINE), 1.0
)


def test_longer_rules_by_hand() -> None:
    assert longer(ConstantStep(0.5), 3.0) == ConstantStep(1.5)
    assert longer(InverseTimeStep(4.0, 16.0), 2.0) == InverseTimeStep(4.0, 8.0)
    assert longer(WarmUpStep(ConstantStep(1.0), 5), 2.0) == WarmUpStep(ConstantStep(2.0), 5)
    assert longer(InverseRootStep(1.0), 2.0) == InverseRootStep(1.0)


def test_which_theorems_limit_their_stepsizes() -> None:
    assert has_limit(bsp_nonconvex) and has_limit(local_sgd)
    assert not has_limit(dgd)  # any stepsize
    assert not has_limit(choco_gossip)  # one alone


def test_a_step_beyond_the_limit_breaks_the_bound_and_the_limit_holds() -> None:
    verdict = limit_verdict(bsp_nonconvex, BY_HAND)
    assert verdict.outcome is Outcome.SUPPORTED
    assert verdict.tightness == pytest.approx(1.0)
    assert "measured/bound 1.04 after 1 steps" in verdict.evidence


def test_a_limit_five_percent_too_long_is_refuted_by_its_own_cell() -> None:
    wrong = FalseTheorem(bsp_nonconvex, reach=1.05)
    assert limit_verdict(wrong, BY_HAND).outcome is Outcome.REFUTED
    barely = FalseTheorem(bsp_nonconvex, reach=1.03)
    assert limit_verdict(barely, BY_HAND).outcome is Outcome.SUPPORTED


def test_a_limit_that_is_shorter_than_when_its_instance_was_found_is_refuted() -> None:
    shorter = FalseTheorem(bsp_nonconvex, reach=0.95)
    verdict = limit_verdict(shorter, BY_HAND)
    assert verdict.outcome is Outcome.REFUTED and "shorter" in verdict.evidence


def test_what_was_not_found_is_not_said_to_hold() -> None:
    none = LimitRecord("bsp_nonconvex", 0.0, 92)
    assert limit_verdict(bsp_nonconvex, none).outcome is Outcome.COMPARED
    few = limit_verdict(bsp_nonconvex, LimitRecord("bsp_nonconvex", 0.0, 12))
    assert few.outcome is Outcome.NOT_APPLICABLE and "hardly searched" in few.evidence
    assert limit_verdict(bsp_nonconvex, None).outcome is Outcome.NOT_APPLICABLE
    within = replace(BY_HAND, instance=asdict(replace(LINE, gamma=0.9)), limit=0.9)
    assert limit_verdict(bsp_nonconvex, within).outcome is Outcome.COMPARED


def test_what_was_not_confirmed_is_not_said_to_be_unbroken() -> None:
    said = limit_verdict(bsp_nonconvex, LimitRecord("bsp_nonconvex", 0.0, 92, how=UNCONFIRMED))
    assert said.outcome is Outcome.COMPARED
    assert f"an instance breaks the bound beyond the limit, {UNCONFIRMED}" in said.evidence
    assert "no factor" not in said.evidence


def test_a_bound_on_the_gradients_of_the_run_is_named_where_nothing_breaks() -> None:
    verdict = limit_verdict(local_sgd, LimitRecord("local_sgd", 0.0, 92))
    assert "G2 is that of the run" in verdict.evidence
    plain = limit_verdict(bsp_nonconvex, LimitRecord("bsp_nonconvex", 0.0, 92))
    assert "G2" not in plain.evidence


def test_a_diverging_run_is_computed_again_whatever_its_numbers_digits() -> None:
    record = records()["bsp_nonconvex"]  # its fractions have thousands of digits
    claim = beyond(claims_of("bsp_nonconvex")[0], record.factor * 1.001)
    trial = exact_moments_attacker.measure(claim, made(record, exact_moments_attacker))
    assert exact_moments_attacker.confirm(claim, trial).measured == pytest.approx(trial.measured)


@pytest.mark.parametrize("theorem", limited_theorems(), ids=lambda one: one.name)
def test_a_kept_limit_that_is_tight_refutes_one_five_percent_longer(theorem: Theorem) -> None:
    record = records()[theorem.name]
    if 0 < record.factor <= TIGHT and record.limit:
        longer_limit = FalseTheorem(theorem, reach=TIGHT)
        assert limit_verdict(longer_limit, record).outcome is Outcome.REFUTED


def test_every_limit_has_a_record() -> None:
    assert set(records()) == {one.name for one in limited_theorems()}
    assert not [one.theorem for one in records().values() if "string conversion" in one.how]


def test_half_of_a_delay_in_a_limit_is_refuted() -> None:
    """2/(L (1 + sqrt(1 + 8 tau^2))) at tau 3 is 0.25 of what it is at tau 0 (0.38 at tau 1)."""
    names = dict(halves(asysg_con))
    assert "tau" in names and "sigma2" not in names
    wrong = MisreadLimit(asysg_con, halved("tau"))
    c = asysg_con.example.state(tau=8)
    allowed = wrong.stepsize(c.state(sigma2=0.0), 10)
    assert allowed == asysg_con.stepsize(c.state(sigma2=0.0, tau=4), 10)
    assert not wrong.violations(c, allowed, 10) and asysg_con.violations(c, allowed, 10)
    assert refuted(MisreadLimit(asysg_con, halved("L")))


def test_half_of_tau_in_the_limit_is_refuted_by_workers_in_turn() -> None:
    """A delay that is always tau = 3 has roots outside the unit circle from 2 sin(pi/14) = 0.445 on
    (x+ = x - y x_(t-3)), below the 1/2 that tau = 1 allows."""
    wrong = MisreadLimit(asysg_con, halved("tau"))
    claim = claims_of("asysg_con")[0].about(wrong)
    line = QuadraticInstance(4, (1.0,), (0.01,), 0.0, 1.0, 0.0, 0.499, 200)
    trial = exact_moments_attacker.measure(claim, line)
    assert trial.constants["tau"] == 3 and trial.ratio > 1000
    sizes = allowed(exact_moments_attacker, claim)
    assert sizes.similar and max(n for n, _ in sizes.sizes) > 1
    assert "by exact" in refuted(wrong)
