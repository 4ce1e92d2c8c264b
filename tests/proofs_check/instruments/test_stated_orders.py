"""Orders against the exponents of bounds: every theorem, every variable, every planted exponent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, final

import numpy as np
import pytest

from proofs_check.instruments.asymptotic_orders import BoundExponent, UnreadExponent, read
from proofs_check.instruments.stated_orders import order_verdict, planted, readings
from proofs_check.verdict import Outcome
from theory.arrays import Floats
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import HALF, Order, Theorem
from theory.theorems import PROVED_ONLY, THEOREMS
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_strongly_convex_decreasing import bsp_strongly_convex_decreasing
from theory.theorems.compressed_bsp_strongly_convex import compressed_bsp_strongly_convex
from theory.theorems.dcd_psgd import dcd_psgd
from theory.theorems.gossip_averaging import gossip_averaging
from theory.theorems.kinds import ConstantStepTheorem

ALL = (*THEOREMS, *PROVED_ONLY)
each = pytest.mark.parametrize("theorem", ALL, ids=lambda t: t.name)


@each
def test_the_stated_order_is_that_of_the_bound(theorem: Theorem) -> None:
    verdict = order_verdict(theorem, theorem.order)
    assert verdict.outcome is Outcome.AGREES, verdict.evidence
    named = {one.variable for one in readings(theorem, theorem.order) if one.agrees}
    assert {"T", *theorem.order.exponents} <= named


@each
def test_every_planted_exponent_is_refuted(theorem: Theorem) -> None:
    orders = list(planted(theorem))
    read_off = [one for one in readings(theorem, theorem.order) if one.agrees is not None]
    assert len(orders) == 4 * len(read_off) >= 4
    missed = [o for o in orders if order_verdict(theorem, o).outcome is not Outcome.REFUTED]
    assert not missed


def test_exponents_that_once_passed_are_refuted() -> None:
    squared = Order({"T": -2, "n": -1})
    assert order_verdict(bsp_strongly_convex_decreasing, squared).outcome is Outcome.REFUTED
    free = Order({"T": -1, "n": -1, "omega": 0})
    assert order_verdict(compressed_bsp_strongly_convex, free).outcome is Outcome.REFUTED
    linear = Order({}, linear=True)
    assert order_verdict(bsp_nonconvex, linear).outcome is Outcome.REFUTED
    assert order_verdict(gossip_averaging, Order({})).outcome is Outcome.REFUTED


def test_what_cannot_be_read_says_why() -> None:
    gap = read(dcd_psgd, "gap")
    assert isinstance(gap, UnreadExponent) and "lam^2 + omega beta^2 must be below 1" in gap.why
    linear = read(gossip_averaging, "gap")
    assert isinstance(linear, UnreadExponent) and "linear" in linear.why
    unread = order_verdict(dcd_psgd, Order({"T": -HALF, "n": -HALF, "gap": -1}))
    assert unread.outcome is Outcome.REFUTED


@final
@dataclass(frozen=True)
class Made(ConstantStepTheorem):
    """A bound given by a formula of n and T."""

    formula: Callable[[float, Floats], Floats]

    name, title, source = "made", bsp_nonconvex.title, bsp_nonconvex.source
    confidence, statement, tight = bsp_nonconvex.confidence, "made", False
    needs, metric, order = bsp_nonconvex.needs, bsp_nonconvex.metric, bsp_nonconvex.order
    example = bsp_nonconvex.example

    def prescribed(self, c: Constants, horizon: int) -> ConstantStep:
        return ConstantStep(1.0)

    def curve(self, c: Constants, step: ConstantStep, times: Floats) -> Floats:
        return self.formula(c.need("n"), times)


@pytest.mark.parametrize(
    ("formula", "power", "logarithm", "of_n"),
    [
        (lambda n, t: n**0.25 * t**-0.75 + 1e6 * n**2 / t**1.5, Fraction(-3, 4), 0, 0.25),
        (lambda n, t: np.log(n * t) / (n * t) + n / t**2, -1, 1, -1),
        (lambda n, t: (5 + np.log(t)) ** 2 / (3 + n) / t**0.5, -HALF, 2, -1),
        (lambda n, t: (1 + n**0.5) * (2 + 0 * t), 0, 0, 0.5),
    ],
)
def test_powers_and_logarithms_of_made_bounds_are_found(
    formula: Any, power: Fraction, logarithm: float, of_n: float
) -> None:
    in_time, in_n = read(Made(formula), "T"), read(Made(formula), "n")
    assert isinstance(in_time, BoundExponent) and isinstance(in_n, BoundExponent)
    assert in_time.power == pytest.approx(float(power), abs=1e-3) and not in_time.linear
    assert in_time.logarithm == pytest.approx(logarithm, abs=0.05)
    assert in_n.power == pytest.approx(of_n, abs=1e-3)


def test_what_falls_faster_than_powers_without_being_linear_is_told() -> None:
    bent = read(Made(lambda n, t: np.exp(-(t**0.5))), "T")
    assert isinstance(bent, UnreadExponent) and "nor linear" in bent.why
    straight = read(Made(lambda n, t: 3 * 0.99**t), "T")
    assert isinstance(straight, BoundExponent) and straight.linear
