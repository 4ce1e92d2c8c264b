"""Networks that change from round to round: their constants, and wrong readings they alone find."""

from __future__ import annotations

import time
from dataclasses import replace

import numpy as np
import pytest

import rateproof
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.problems.quadratic import Quadratic
from algorithms.topologies.fixed import FixedMatrix
from algorithms.topologies.ring import Ring
from proofs_check.refute.attack import attack
from proofs_check.refute.attackers.exact_quadratics import adversarial_parts
from proofs_check.refute.instance import QuadraticInstance
from proofs_check.refute.ours import claims_of
from proofs_check.refute.outcome import Standing
from proofs_check.refute.parts import changed
from proofs_check.refute.planted import FalseTheorem, planted
from proofs_check.refute.quadratics import with_step
from proofs_check.refute.rounds import ROUNDS_AT, WORDS, RoundReading, RoundSequence, in_rounds
from theory.stepsizes import ConstantStep
from theory.theorems.d_psgd import d_psgd
from theory.theorems.d_psgd_variance import d_psgd_variance

STEP = ConstantStep(0.1)
LAM = 0.75
GIVEN = FixedMatrix(LAM * np.eye(4) + (1 - LAM) / 4)
CLAIM = rateproof.claim(
    "gossip of functions that differ",
    method="d-psgd", metric="squared_distance", limit="(1-lam)/(2*L_max)", assumes=("lam < 1",),
    bound="(1-gamma*mu)**T*R2 + 8*gamma**2*L_max**2*zeta2_star/(mu**2*(1-lam)**2)"
    " + 4*gamma*sigma2/(n*mu) + 8*gamma**2*L_max**2*sigma2/(mu**2*(1-lam))",
    changing_network=True,
)  # fmt: skip


@pytest.mark.parametrize("word", WORDS)
@pytest.mark.parametrize("n", [2, 3, 4])
def test_no_round_leaves_more_than_the_network_it_stands_for(word: str, n: int) -> None:
    given = FixedMatrix(LAM * np.eye(n) + (1 - LAM) / n)
    number = (1 + (WORDS.index(word) + 0.5) / len(WORDS)) / 2
    rounds = in_rounds(number, given, RoundReading.WORST)
    assert isinstance(rounds, RoundSequence) and rounds.word == word
    for t in range(rounds.period):
        w = rounds.matrix(t)
        assert np.linalg.norm(w - 1 / n, 2) <= LAM + 1e-12
        np.testing.assert_allclose(w.sum(0), 1)
    assert rounds.each_step().need("lam") <= LAM + 1e-12
    assert in_rounds(0.5, given, RoundReading.WORST) is given


def test_two_matchings_of_four_mix_all_at_once() -> None:
    """(01)(23), then (02)(13): all four means are equal, though either leaves lam = 1 alone."""
    pairs = [np.kron(np.eye(2), np.full((2, 2), 0.5)), np.kron(np.full((2, 2), 0.5), np.eye(2))]
    told = {
        reading: RoundSequence(tuple(pairs), "ab", reading).constants().need("lam")
        for reading in RoundReading
    }
    assert told[RoundReading.WORST] == pytest.approx(1)
    assert told[RoundReading.PERIOD] == pytest.approx(0, abs=1e-12)
    for number in ROUNDS_AT:
        found = in_rounds(number, GIVEN, RoundReading.BEST)
        assert found.each_step().need("lam") <= LAM + 1e-12


def test_a_theorem_of_one_network_keeps_it() -> None:
    problem, method = Quadratic.strongly_convex(4, 4), DPSGD(STEP, Ring(4))
    for theorem, kind in ((d_psgd, FixedMatrix), (d_psgd_variance, RoundSequence)):
        other = changed(method, theorem, problem, (0.3, 0.6))
        assert isinstance(other, DPSGD) and isinstance(other.topology, kind)
        assert other.constants(problem).need("lam") == pytest.approx(0.6)


@pytest.mark.parametrize("reading", [RoundReading.BEST, RoundReading.PERIOD])
def test_wrong_readings_of_lam_are_refuted_by_rounds_alone(reading: RoundReading) -> None:
    """Thirty-one rounds that mix little and one that mixes all: lam of the best round and of the
    whole period is 0, and workers drift apart for all of them."""
    wrong = replace(CLAIM, theorem=FalseTheorem(CLAIM.theorem, rounds=reading))
    one = QuadraticInstance(2, (1.0,), (0.01,), 1.0, 0.0, 0.99, 0.16, 64, (0.002, ROUNDS_AT[-1]))
    trial = adversarial_parts.measure(wrong, with_step(adversarial_parts, wrong, one))
    assert trial.ratio > 7
    told = adversarial_parts.confirm(wrong, trial)
    assert told.holds and "in fractions" in told.how
    right = adversarial_parts.measure(CLAIM, with_step(adversarial_parts, CLAIM, one))
    assert right.ratio < 0.5
    still = replace(one, parts=(0.002, 0.5))
    assert adversarial_parts.measure(wrong, with_step(adversarial_parts, wrong, still)).ratio < 0.5


def test_an_attack_finds_the_rounds() -> None:
    wrong = replace(CLAIM, theorem=FalseTheorem(CLAIM.theorem, rounds=RoundReading.BEST))
    found = attack(
        "best round", [wrong], budget=10, attackers=["parts"], workers=1, clock=time.process_time
    )
    assert found.standing is Standing.REFUTED, found.record()
    others = attack(
        "best round", [wrong], budget=4, attackers=["exact"], workers=1, clock=time.process_time
    )
    assert others.standing is Standing.SURVIVED


def test_readings_are_planted_where_the_network_may_change() -> None:
    said = [f"lam is {one.value}" for one in (RoundReading.BEST, RoundReading.PERIOD)]
    for name, many in (("d_psgd_variance", 2), ("local_gossip", 2), ("d_psgd", 0)):
        found = [what for what, _ in planted(claims_of(name)[0]) if what in said]
        assert len(found) == many
