"""Limits as they are written: formulas are read, and a limit that is another number is refuted."""

from __future__ import annotations

import math
import sys

import numpy as np
import pytest

from proofs_check.refute.allowed_steps import allowed_step
from proofs_check.refute.limited import limited_theorems
from proofs_check.refute.written_limits import balanced_step, written_limit
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep
from theory.theorems import families
from theory.theorems.asysg_con import asysg_con
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.conditions import tuned
from theory.theorems.families import Descent, Limited

THEOREMS = {one.name: one for one in limited_theorems()}


@pytest.mark.parametrize("name", sorted(THEOREMS))
def test_no_limit_is_other_than_it_is_written(name):
    for found in (check(THEOREMS[name]) for check in (written_limit, balanced_step, allowed_step)):
        assert found.outcome is not Outcome.REFUTED, found.evidence


def test_most_formulas_are_read():
    told = [one for one in THEOREMS.values() if getattr(one, "formula", "")]
    found = [written_limit(one) for one in told]
    read = [one for one in found if one.statistic is not None]
    assert len(read) >= 0.85 * len(told) > 40
    assert sum(one.outcome is Outcome.AGREES for one in read) >= 0.5 * len(told)


def test_what_the_code_says_of_itself_is_no_more_than_compared():
    told = [one for one in THEOREMS.values() if "gain" in getattr(one, "formula", "")]
    assert told
    for found in map(written_limit, told):
        assert found.outcome is Outcome.COMPARED and "own code" in found.evidence


def test_a_letter_that_no_constant_states_is_named():
    assert "no constant is stated for beta, theta" in written_limit(THEOREMS["ef21"]).evidence


def test_a_formula_without_a_value_is_refuted(monkeypatch):
    monkeypatch.setattr(type(bsp_nonconvex), "formula", "(L - L)/(L - L)/L")
    assert written_limit(bsp_nonconvex).outcome is Outcome.REFUTED


@pytest.mark.parametrize("factor", [1.05, 0.95, 2.0])
def test_a_limit_that_is_too_long_or_too_short_is_refuted(factor, monkeypatch):
    kind = type(bsp_nonconvex)
    monkeypatch.setattr(kind, "limit", lambda self, c: factor / c.need("L"))
    found = written_limit(bsp_nonconvex)
    assert found.outcome is Outcome.REFUTED and found.statistic == pytest.approx(
        abs(1 / factor - 1)
    )


def test_half_of_a_constant_is_refuted(monkeypatch):
    def limit(self, c):
        return 2 / (c.need("L") * self.M * (1 + math.sqrt(1 + 4 * c.need("tau") ** 2)))

    assert written_limit(asysg_con).outcome is Outcome.AGREES
    monkeypatch.setattr(type(asysg_con), "limit", limit)
    assert written_limit(asysg_con).outcome is Outcome.REFUTED


def test_words_are_compared_and_nothing_is_not_applicable():
    by_outcome = {one: written_limit(THEOREMS[one]).outcome for one in ("ef21", "mem_sgd")}
    assert by_outcome == {"ef21": Outcome.COMPARED, "mem_sgd": Outcome.NOT_APPLICABLE}


@pytest.mark.parametrize("theorem", [bsp_nonconvex, asysg_con, THEOREMS["sgp"]])
def test_half_of_the_signal_is_refuted(theorem, monkeypatch):
    kind = type(theorem)
    balance = kind.balance
    assert balanced_step(theorem).outcome is Outcome.AGREES

    def halved(self, c):
        signal, noise = balance(self, c)
        return signal / 2, noise

    monkeypatch.setattr(kind, "balance", halved)
    assert balanced_step(theorem).outcome is Outcome.REFUTED


LINEAR = [
    one for one in THEOREMS.values()
    if isinstance(one, Limited) and not isinstance(one, Descent)
    and balanced_step(one).statistic is not None
]  # fmt: skip


def test_theorems_of_geometric_rates_are_weighed():
    assert len(LINEAR) >= 10
    kinds = {type(one).__mro__[1].__name__ for one in LINEAR}
    assert {"LinearConvergence", "PolyakLojasiewicz"} <= kinds
    assert balanced_step(THEOREMS["one_shot_averaging"]).outcome is Outcome.NOT_APPLICABLE


@pytest.mark.parametrize("theorem", LINEAR, ids=lambda one: one.name)
def test_a_signal_of_another_power_or_a_lost_noise_is_refuted(theorem, monkeypatch):
    kind = type(theorem)
    balance = kind.balance
    assert balanced_step(theorem).outcome is Outcome.AGREES
    for signal, noise in ((0.25, 1.0), (1.0, 1.05), (1.0, 0.5)):

        def changed(self, c, by=(signal, noise)):
            return tuple(np.multiply(balance(self, c), by))

        monkeypatch.setattr(kind, "balance", changed)
        assert balanced_step(theorem).outcome is Outcome.REFUTED


@pytest.mark.parametrize("share", [1.0, 0.25])
def test_a_drift_that_is_another_share_of_the_start_is_refuted(share, monkeypatch):
    theorem = THEOREMS["ef_sgd_workers"]
    assert balanced_step(theorem).outcome is Outcome.AGREES

    def other(theorem, c, horizon):
        start, drift = theorem.start(c, 1.0), theorem.floors(c, 1.0)[1]
        root = tuned(theorem.limit(c), theorem.balance(c)[0], theorem.balance(c)[1] * horizon)
        return ConstantStep(min(root.gamma, (share * start / (horizon * drift)) ** (1 / 3)))

    monkeypatch.setattr(sys.modules[type(theorem).__module__], "within_drift", other)
    found = balanced_step(theorem)
    assert found.outcome is Outcome.REFUTED and found.statistic == pytest.approx(share)


def test_a_stepsize_beyond_the_limit_is_refuted(monkeypatch):
    theorem = THEOREMS["bsp_strongly_convex"]
    assert allowed_step(theorem).outcome is Outcome.AGREES

    def longest(limit, mu, balance, horizon):
        return ConstantStep(max(limit, 1 / (mu * horizon)))

    monkeypatch.setattr(families, "logarithmic", longest)
    found = allowed_step(theorem)
    assert found.outcome is Outcome.REFUTED and "gamma must be at most" in found.evidence


def test_no_stepsize_at_the_example_is_refuted(monkeypatch):
    theorem = THEOREMS["bsp_nonconvex"]

    def fails(self, c, horizon):
        raise ValueError("nothing is prescribed")

    monkeypatch.setattr(type(theorem), "prescribed", fails)
    found = allowed_step(theorem)
    assert found.outcome is Outcome.REFUTED and "nothing is prescribed" in found.evidence
