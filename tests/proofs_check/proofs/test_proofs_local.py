"""Proofs of stale, local and elastic methods: what is proved is what the code computes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import sympy as sp
from scipy import optimize

from proofs_check.evidence.cooperative import theorems as cooperative_sgd
from proofs_check.evidence.cooperative import theorems as elastic_averaging
from proofs_check.evidence.local_updates import proofs as best_period
from proofs_check.evidence.synchronous import theorems_barriers as order_statistics
from theory.constants import Constants
from theory.rules.stability import Elastic
from theory.seconds.step_times import StepTimes
from theory.stepsizes import ConstantStep
from theory.theorems.cooperative_sgd import cooperative_sgd as cooperative_theorem
from theory.theorems.local_sgd_nonconvex import local_sgd_nonconvex

CASE = Constants(
    n=4, L=2.0, L_max=2.0, sigma2=5.0, zeta2=0.0, G2=7.0, initial_gap=3.0, lam=0.6, H=5, lead=2,
    lipschitz=3.0, diameter=2.0, convex=True, R2=6.0,
)  # fmt: skip
VALUES = {
    "n": 4, "L": 2, "sigma2": 5, "G2": 7, "Delta": 3, "lam": sp.Rational(3, 5), "H": 5, "s": 2,
    "l": 3, "D": 2, "gamma": sp.Rational(1, 10), "scale": sp.Rational(1, 10),
}  # fmt: skip


def number(expression: Any, **more: Any) -> float:
    """The expression at the case, symbols matched by name."""
    values = {**VALUES, **more}
    return float(expression.subs({s: values[s.name] for s in expression.free_symbols}))


def test_the_condition_is_the_proved_one() -> None:
    y = cooperative_theorem.limit(CASE) * 2
    assert y + y**2 * number(cooperative_sgd.FACTOR) == pytest.approx(1, rel=1e-12)


def test_the_closed_forms_are_the_proved_ones() -> None:
    for n, b in ((5, 0), (8, 3), (20, 19)):
        proved = order_statistics.BACKUP.subs(
            {order_statistics.order_statistics_n: n, order_statistics.b: b}
        )
        assert StepTimes().backup(n, b) == pytest.approx(float(proved), rel=1e-12)
    assert StepTimes().in_turn(2) == pytest.approx(float(order_statistics.TURN), rel=1e-12)
    elastic = Elastic(0.3, 0.2, 0.7)
    at = dict(zip((elastic_averaging.h, elastic_averaging.alpha, elastic_averaging.beta),
                  elastic, strict=True))  # fmt: skip
    matrix = np.array(elastic_averaging.MATRIX.subs(at), dtype=float)
    assert np.array(elastic.matrix) == pytest.approx(matrix, rel=1e-12)


def test_the_best_period_is_where_the_theorems_bound_is_least() -> None:
    """After S seconds, S/(Y + D/H) steps, whatever the seconds Y of a local step."""
    step, seconds, delay = ConstantStep(0.1), 100.0, 500.0
    proved = number(best_period.BEST, S=100, D=500)
    assert proved > 2
    for compute in (1.0, 50.0):
        found = optimize.minimize_scalar(
            lambda H, Y=compute: local_sgd_nonconvex.bound(
                CASE.state(H=H), step, np.array([seconds / (Y + delay / H)])
            )[0],
            bounds=(1, 1000), method="bounded", options={"xatol": 1e-6},
        )  # fmt: skip
        assert found.x == pytest.approx(proved, rel=1e-3)
