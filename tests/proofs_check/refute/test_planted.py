"""Wrong theorems made of right ones: what they say by hand, and that they are refuted."""

from __future__ import annotations

import time

import numpy as np
import pytest

from proofs_check.refute.attack import attack
from proofs_check.refute.claim import Claim
from proofs_check.refute.known_errors import KNOWN_ERRORS
from proofs_check.refute.measured import Unfit
from proofs_check.refute.ours import claims_of
from proofs_check.refute.outcome import Standing
from proofs_check.refute.planted import planted
from proofs_check.refute.search import attackers_named
from proofs_check.refute.stated import claim
from proofs_check.refute.survey_errors import survey_errors
from theory.stepsizes import ConstantStep
from theory.theorems.bsp_nonconvex import bsp_nonconvex

CLAIM = claims_of("bsp_nonconvex")[0]
WRONG = dict(planted(CLAIM))
SECONDS = 400.0
"""Of processor time, more than the 60 of an attack by default: it ends where it refutes, and on a
slow machine later."""

C, STEP, T = bsp_nonconvex.example, ConstantStep(0.5), np.array([10.0])


def bound(claim: Claim) -> float:
    return float(claim.theorem.bound(C, STEP, T)[0])


@pytest.mark.parametrize(
    ("what", "value"),
    [
        ("half the noise", 1.2 + 0.625),
        ("no noise", 1.2),
        ("divided by n squared", 1.2 + 0.3125),
        ("half the initial gap", 0.6 + 1.25),
        ("half of L", 1.2 + 0.625),
        ("half the bound", 1.225),
    ],
)
def test_what_they_say_by_hand(what: str, value: float) -> None:
    """2 Delta/(gamma T) + gamma L sigma2/n at n 4, L 2, sigma2 5, Delta 3, gamma 1/2, T 10."""
    assert bound(CLAIM) == pytest.approx(1.2 + 1.25)
    assert bound(WRONG[what]) == pytest.approx(value)


def test_longer_stepsizes_are_allowed() -> None:
    wrong = WRONG["stepsizes twice as large"].theorem
    assert wrong.stepsize(C, 10)(0) == 2 * bsp_nonconvex.stepsize(C, 10)(0)
    assert not wrong.violations(C, ConstantStep(1.0), 10)
    assert wrong.violations(C, ConstantStep(1.1), 10)


def test_what_the_bound_does_not_speak_of_is_no_fault() -> None:
    (made,) = claims_of("bsp_strongly_convex")
    assert "half of L" not in dict(planted(made))


@pytest.mark.slow
@pytest.mark.parametrize("what", sorted(WRONG))
def test_they_are_refuted(what: str) -> None:
    found = attack(what, [WRONG[what]], budget=SECONDS, workers=1, clock=time.process_time)
    assert found.standing is Standing.REFUTED, found.record()


@pytest.mark.slow
@pytest.mark.parametrize("wrong", (*KNOWN_ERRORS, *survey_errors()), ids=lambda one: one.name)
def test_what_is_believed_or_misprinted_is_refuted(wrong: Claim) -> None:
    found = attack(wrong.name, [wrong], budget=SECONDS, workers=1, clock=time.process_time)
    assert found.standing is Standing.REFUTED, found.record()


def test_a_part_that_would_be_another_is_named() -> None:
    """DCD-PSGD has a network and an operator; a bound that speaks of neither keeps both."""
    (parts,) = attackers_named(("parts",))
    plain = claim("dcd", method="dcd-psgd", limit="1/(4*L)", bound="initial_gap/(gamma*T)")
    with pytest.raises(Unfit, match=r"needs=\('omega', 'delta', 'lam'\) in the claim would let"):
        parts.coordinates(plain)
