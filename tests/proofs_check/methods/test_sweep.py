"""Sweeps: the variable is what theorems mean by it, exponents are those of closed forms."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import SimpleNamespace

import pytest

from algorithms.catalogue import problem, row
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from proofs_check.methods.sweep import Sweep, sweep, sweep_verdict
from proofs_check.verdict import Outcome
from theory.stepsizes import ConstantStep

STEP = ConstantStep(0.2)


def _noise_only(n: int) -> Problem:
    """Curvature 1 everywhere, at the minimiser: after T steps E||x||^2 is g^2 sigma2 d / n times a
    number of T and g alone."""
    return Quadratic.strongly_convex(n, 4, mu=1.0, sigma2=1.0, R2=1e-30)


def _swept(key: str, build: Callable[[int], Problem], variable: str, **options: object) -> Sweep:
    return sweep(row(key), build, variable, steps=40, replicas=64, seed=1, step=STEP, **options)  # type: ignore[arg-type]


@pytest.mark.parametrize(("variable", "exponent"), [("n", -1.0), ("batch", -1.0)])
def test_exponents_of_averaging_are_those_of_the_closed_form(variable: str, exponent: float):
    found = _swept("bsp-sgd", _noise_only, variable, n=4)
    verdict = sweep_verdict(row("bsp-sgd"), found, "made", alpha=1e-6)
    assert verdict.statistic is not None and verdict.uncertainty is not None
    assert abs(verdict.statistic - exponent) <= verdict.uncertainty < 0.5


def test_a_sweep_of_the_period_sets_it():
    found = _swept("local-sgd", lambda n: problem("quadratic-unequal", n), "H", n=4)
    assert found.x.tolist() == [1.0, 2.0, 4.0, 8.0, 16.0, 32.0]
    assert found.samples.shape == (64, 6)


def test_the_value_of_delta_is_the_operators_own():
    found = _swept(
        "top-k", lambda n: problem("quadratic-sc", n), "delta", n=4, values=(0.1, 0.25, 0.5)
    )
    assert found.x.tolist() == [0.1, 0.25, 0.5]


def test_graphs_move_the_gap_of_the_method():
    found = _swept("d-psgd", lambda n: problem("quadratic-unequal", n), "gap", n=16)
    assert len(found.x) >= 8 and found.x[-1] == pytest.approx(1.0), "the complete graph"
    ring = 1 - (1 + 2 * 0.9238795325112867) / 3  # 1 - (1 + 2 cos(2 pi / 16)) / 3
    assert any(abs(x - ring) < 1e-12 for x in found.x)


def test_a_wrong_order_is_refuted_and_a_right_one_supported():
    found = _swept("bsp-sgd", _noise_only, "n", n=4)
    confidence = row("bsp-sgd").theorems[0].confidence

    def held_to(power: int) -> Outcome:
        order = SimpleNamespace(exponents={"n": power})
        made = SimpleNamespace(name="made", tight=True, confidence=confidence, order=order)
        against = found._replace(theorem=made)  # type: ignore[arg-type]
        return sweep_verdict(row("bsp-sgd"), against, "made").outcome

    right, wrong = held_to(-1), held_to(-2)
    assert right in (Outcome.SUPPORTED, Outcome.COMPARED)
    assert wrong is Outcome.REFUTED


@pytest.mark.parametrize(
    ("key", "variable", "message"),
    [
        ("bsp-sgd", "H", "has no parameter that moves H"),
        ("bsp-sgd", "gap", "has no mixing matrix"),
        ("qsgd", "tau", "has no parameter that moves tau"),
    ],
)
def test_a_row_without_the_variable_is_refused(key: str, variable: str, message: str):
    with pytest.raises(ValueError, match=message):
        _swept(key, lambda n: problem("quadratic-sc", n), variable, n=4)


def test_too_few_points_are_refused():
    with pytest.raises(ValueError, match="has 2 points in n, a rate needs 3"):
        _swept("bsp-sgd", _noise_only, "n", values=(2, 4))


def test_unequal_hessians_make_the_period_matter():
    """With one Hessian for all, the mean model of local SGD does not depend on H at all."""
    same = _swept("local-sgd", lambda n: replace(_noise_only(n), name="made"), "H", n=4)
    differ = _swept("local-sgd", lambda n: problem("quadratic-unequal", n), "H", n=4)
    ends = [float(found.samples.mean(0)[-1] / found.samples.mean(0)[0]) for found in (same, differ)]
    assert ends[0] == pytest.approx(1.0, rel=1e-9) and ends[1] > 1.5
