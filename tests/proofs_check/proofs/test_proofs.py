"""Symbolic proofs: each holds, each can fail, and what it proves is what the theorems compute."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import sympy as sp

from proofs_check.proofs import PROOFS
from proofs_check.proofs.derivation import (
    equality,
    nonnegative,
    nonnegative_on_box,
    settled,
    truth,
)
from proofs_check.verdict import Outcome, Verdict
from tests.proofs_check.proofs.planted import PLANTED
from theory.constants import Constants
from theory.members import modules
from theory.stepsizes import ConstantStep, InverseTimeStep, Stepsize
from theory.theorem import Theorem
from theory.theorems import PROVED_ONLY, THEOREMS


def stem(prove: Callable[..., Verdict]) -> str:
    return prove.__module__.rsplit(".", 1)[-1]


def proof(name: str) -> Any:
    """The proof of that name: its file, with ``prove`` and what it claims."""
    return next(m for m in modules("proofs_check.proofs") if m.__name__.endswith(f".{name}"))


@pytest.mark.parametrize("prove", PROOFS, ids=stem)
def test_every_proof_holds(prove: Callable[[], Verdict]) -> None:
    verdict = prove()
    assert verdict.outcome is Outcome.PROVED, verdict.evidence
    assert verdict.claim and verdict.provenance and not verdict.evidence.startswith("fails")


@pytest.mark.parametrize(
    ("name", "wrong", "where"), PLANTED, ids=[f"{name}-{where}" for name, _, where in PLANTED]
)
def test_a_planted_constant_is_refuted(
    name: str, wrong: Callable[[Any], dict[str, Any]], where: str
) -> None:
    verdict = proof(name).prove(**wrong(proof(name)))
    assert verdict.outcome is Outcome.REFUTED
    assert any(part in verdict.evidence for part in where.split("|")), verdict.evidence


def test_every_proof_has_a_planted_failure() -> None:
    assert {stem(prove) for prove in PROOFS} == {name for name, _, _ in PLANTED}


@pytest.mark.parametrize("theorem", THEOREMS + PROVED_ONLY, ids=lambda t: t.name)
def test_every_theorem_has_a_proof_of_its_name(theorem: Theorem) -> None:
    assert proof(theorem.name).prove in PROOFS


# What is proved is what the theorems compute

CASE = Constants(
    n=4, L=2.0, L_max=2.0, mu=0.5, mu_min=0.5, sigma2=5.0, zeta2=0.0, G2=7.0, initial_gap=3.0,
    R2=6.0, lam=0.6, beta=1.2, omega=3.0, delta=0.25, H=5, tau=3, convex=True,
    initial_potential=11.0, alpha=0.2, delta_up=0.75, delta_down=0.51, absolute_error=0.3,
    L_one=9.0, sigma_one=2.5, symmetric_noise=True, zeta2_star=1.5,
)  # fmt: skip
NAMES = {
    "n": 4, "L": 2, "mu": 0.5, "sigma2": 5, "s": 5 / 4, "zeta2": 0, "G2": 7, "Delta": 3, "R2": 6,
    "omega": 3, "delta": 0.25, "H": 5, "p": 0.4, "beta": 1.2, "c": 0.4**2 * 0.25 / 82, "e0": 11,
    "gamma": 0.1, "T": 50, "alpha": 0.2, "r1": 0.5, "r2": 0.7, "D2": 0.3, "L_one": 9,
    "zeta2_star": 1.5,
}  # fmt: skip


def number(expression: Any, **more: float) -> float:
    """The expression at the case, symbols matched by name."""
    values = {**NAMES, **more}
    return float(expression.subs({s: values[s.name] for s in expression.free_symbols}))


def start(weight: float) -> float:
    """weight Delta/(gamma T) of the case."""
    return weight * 3 / (0.1 * 50)


LEFT = 0.95**50  # (1 - gamma mu)^T of the case


@pytest.mark.parametrize(
    ("name", "proved"),
    [
        ("bsp_strongly_convex", lambda p: LEFT * 6 + (1 - LEFT) * number(p.FLOOR)),
        ("compressed_bsp_nonconvex", lambda p: start(2) + 0.1 * 2 * number(p.NOISE)),
        ("compressed_bsp_strongly_convex", lambda p: LEFT * 6 + (1 - LEFT) * number(p.FLOOR)),
        ("local_sgd_nonconvex", lambda p: start(2) + number(p.FLOOR)),
        ("ef_sgd_nonconvex", lambda p: start(2) + number(p.FLOOR)),
        ("ef_sgd_workers", lambda p: start(4) + number(p.FLOOR)),
        ("choco_sgd_nonconvex", lambda p: start(2) + 0.1 * 2 * 5 / 4 + number(p.CONSENSUS)),
        # CASE states zeta2 = 0, L_max = L, q = 0.95
        (
            "diana",
            lambda p: LEFT * (6 + number(p.START)) + (1 - LEFT) / 0.05 * 0.01 * number(p.NOISE),
        ),
        (
            "diana_nonconvex",
            lambda p: (
                start(2)
                + 2 / (0.1 * 50) * number(p.WEIGHT) * 2 * 2 * 3
                + 2 * 0.1 * 2 * number(p.NOISE)
            ),
        ),
        ("ef_sgd_two_way", lambda p: start(4) + number(p.FLOOR)),
        ("absolute_compressor_ef", lambda p: start(4) + number(p.FLOOR)),
        ("signsgd", lambda p: start(1) + number(p.FLOOR, sigma_one=2.5)),
        (
            "signsgd_majority",
            lambda _: start(1) + number(proof("signsgd").FLOOR, sigma_one=2.5 / 2),
        ),
    ],
)
def test_the_bounds_are_the_proved_ones(name: str, proved: Callable[[Any], float]) -> None:
    (theorem,) = (t for t in THEOREMS + PROVED_ONLY if t.name == name)
    got = theorem.bound(CASE, ConstantStep(0.1), np.array([50.0]))[0]
    assert got == pytest.approx(proved(proof(name)), rel=1e-12)


@pytest.mark.parametrize(
    ("name", "scale", "parts"),
    [
        ("local_sgd", 4, {"A": 0.5, "B": 5 / 4, "C": 8 * 7 * 25 * 2}),
        ("mem_sgd", 8, {"A": 1, "B": 7, "C": (0.5 + 4) * 20 * 7 / 0.25**2, "mu": 0.25}),
        (
            "choco_sgd_strongly_convex",
            4,
            {"A": 1, "B": 5 / 4, "C": 1.5 * 2 * 40 * 7 / NAMES["c"] ** 2},
        ),
    ],
)
def test_the_weighted_bounds_follow_the_proved_recursion(
    name: str, scale: float, parts: dict[str, float]
) -> None:
    (theorem,) = (t for t in THEOREMS if t.name == name)
    step: Stepsize = InverseTimeStep(scale / 0.5, 20000.0)
    got = theorem.bound(CASE, step, np.array([50.0]))[0]
    proved = number(proof("weighted_recursion").BOUND, a=20000.0, **parts)
    assert got == pytest.approx(proved, rel=1e-12)


def test_the_decreasing_bound_and_the_consensus_stepsize_are_the_proved_ones() -> None:
    by_name = {t.name: t for t in THEOREMS}
    got = by_name["bsp_strongly_convex_decreasing"].bound(
        CASE, InverseTimeStep(4.0, 8.0), np.array([50.0])
    )[0]
    proved = number(proof("bsp_strongly_convex_decreasing").BOUND, a=8.0)
    assert got == pytest.approx(proved, rel=1e-12)
    step = by_name["choco_gossip"].stepsize(CASE, 1)(0)
    assert step == pytest.approx(number(proof("choco_gossip").STEP), rel=1e-12)
    after = by_name["choco_gossip"].bound(CASE, ConstantStep(step), np.array([1.0]))[0]
    assert after == pytest.approx(11 * (1 - number(proof("choco_gossip").RATE)), rel=1e-12)


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
