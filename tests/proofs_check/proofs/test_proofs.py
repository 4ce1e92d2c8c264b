"""Symbolic proofs: each holds, and each can fail."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest
import sympy as sp

from proofs_check.proofs import orders_of_bounds
from proofs_check.proofs.derivation import (
    DerivationStep,
    equality,
    nonnegative,
    nonnegative_on_box,
    settled,
    truth,
)
from proofs_check.proofs.expressions import orders
from proofs_check.refute.certified import DERIVATIONS
from proofs_check.verdict import Outcome, Verdict
from tests.proofs_check.proofs.planted import PLANTED
from theory.theorem import Order, Theorem
from theory.theorems import PROVED_ONLY, THEOREMS


def stem(prove: Callable[..., Verdict]) -> str:
    return prove.__name__.removeprefix("prove_")


def proof(name: str) -> Callable[..., Verdict]:
    """The derivation of that name."""
    return next(prove for prove in DERIVATIONS if stem(prove) == name)


def claims(name: str) -> Any:
    """The file of a derivation, with what it claims."""
    return import_module(proof(name).__module__)


ORDERS: dict[tuple[Theorem, str], DerivationStep] = {}


def orders_once(theorem: Theorem, order: Order) -> DerivationStep:
    """The step for a theorem and an order; two planted orders are each one of 58, and the same for
    the rest."""
    if (theorem, repr(order)) not in ORDERS:
        ORDERS[theorem, repr(order)] = orders(theorem, order)
    return ORDERS[theorem, repr(order)]


@pytest.mark.slow
@pytest.mark.parametrize("prove", DERIVATIONS, ids=stem)
def test_every_proof_holds(prove: Callable[[], Verdict]) -> None:
    verdict = prove()
    assert verdict.outcome is Outcome.PROVED, verdict.evidence
    assert verdict.claim and verdict.provenance and not verdict.evidence.startswith("fails")


@pytest.mark.parametrize(
    ("name", "wrong", "where"), PLANTED, ids=[f"{name}-{where}" for name, _, where in PLANTED]
)
def test_a_planted_constant_is_refuted(
    name: str,
    wrong: Callable[[Any], dict[str, Any]],
    where: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(orders_of_bounds, "orders", orders_once)
    verdict = proof(name)(**wrong(claims(name)))
    assert verdict.outcome is Outcome.REFUTED
    assert any(part in verdict.evidence for part in where.split("|")), verdict.evidence


def test_every_proof_has_a_planted_failure() -> None:
    assert {stem(prove) for prove in DERIVATIONS} == {name for name, _, _ in PLANTED}


@pytest.mark.parametrize("theorem", THEOREMS + PROVED_ONLY, ids=lambda t: t.name)
def test_every_theorem_has_a_proof_of_its_name(theorem: Theorem) -> None:
    assert proof(theorem.name) in DERIVATIONS


def test_the_consensus_stepsize_is_the_proved_one() -> None:
    (theorem,) = (one for one in THEOREMS if one.name == "choco_gossip")
    own = claims("choco_gossip")
    c = theorem.example
    assert c.lam is not None and c.beta is not None and c.delta is not None
    proved = own.STEP.subs({own.p: 1 - c.lam, own.beta: c.beta, own.delta: c.delta})
    assert theorem.stepsize(c, 1)(0) == pytest.approx(float(proved), rel=1e-12)


# The steps themselves


def test_steps_settle_what_they_can() -> None:
    x, y = sp.symbols("x y", nonnegative=True)
    assert equality("", (x + y) ** 2, x**2 + 2 * x * y + y**2).holds
    assert not equality("", (x + y) ** 2, x**2 + y**2).holds
    assert nonnegative("", (x + 1) / (1 + y), x, y).holds
    assert not nonnegative("", x - y, x, y).holds
    assert nonnegative_on_box("", 2 - x, {x: 2}).holds
    assert not nonnegative_on_box("", 1 - x, {x: 2}).holds
    assert truth("", sp.true).holds and not truth("", None).holds


def test_a_verdict_names_the_first_step_that_fails() -> None:
    verdict = settled("s", "c", "p", truth("one", True), truth("two", False), truth("3", False))
    assert verdict.outcome is Outcome.REFUTED and verdict.evidence == "fails: two"
