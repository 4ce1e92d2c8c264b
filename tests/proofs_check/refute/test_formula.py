"""Theorems from formulas: values by hand, and what is refused by name."""

from __future__ import annotations

import numpy as np
import pytest
import sympy

from proofs_check.refute import formula
from proofs_check.refute.formula import StatedTheorem
from proofs_check.refute.stated import claim
from theory.constants import Constants
from theory.stepsizes import ConstantStep
from theory.theorem import Metric

C = Constants(n=4, L=2.0, sigma2=3.0, initial_gap=5.0, lam=0.5)


def stated(**given: object) -> StatedTheorem:
    whole = {"method": "bsp-sgd", "limit": "1/L", "bound": "initial_gap/(gamma*T) + sigma2/n"}
    found = claim("mine", **(whole | given)).theorem  # type: ignore[arg-type]
    assert isinstance(found, StatedTheorem)
    return found


@pytest.mark.parametrize(
    "bound",
    [
        "initial_gap/(gamma*T) + sigma2/n",
        sympy.sympify("initial_gap/(gamma0*T) + sigma2/n").subs("gamma0", sympy.Symbol("gamma")),
        lambda c, gamma, T: c.initial_gap / (gamma * T) + c.sigma2 / c.n,
    ],
)
def test_a_bound_by_hand(bound: object) -> None:
    theorem = stated(bound=bound, needs=("n", "sigma2", "initial_gap"))
    found = theorem.bound(C, ConstantStep(0.5), np.array([1.0, 10.0]))
    assert found.tolist() == [10.75, 1.75]
    assert theorem.needs == ("n", "L", "sigma2", "initial_gap")


def test_the_limit_is_the_largest_stepsize_allowed() -> None:
    theorem = stated()
    assert not theorem.violations(C, ConstantStep(0.5), 10)
    assert theorem.violations(C, ConstantStep(0.51), 10)
    assert theorem.stepsize(C, 10) == ConstantStep(0.5)


def test_a_stepsize_alone_is_the_only_one() -> None:
    theorem = stated(limit=None, stepsize="1/(2*L)")
    assert not theorem.violations(C, ConstantStep(0.25), 10)
    assert theorem.violations(C, ConstantStep(0.2), 10)


def test_a_stepsize_may_hang_on_the_horizon() -> None:
    theorem = stated(limit=None, stepsize="sqrt(n/T)")
    assert theorem.by_horizon(C)
    assert theorem.stepsize(C, 16) == ConstantStep(0.5)
    assert not stated().by_horizon(C)


def test_assumptions_are_judged() -> None:
    theorem = stated(assumes=("lam < 1/4",))
    assert theorem.violations(C, ConstantStep(0.1), 10) == ("lam < 1/4 must hold",)


def test_a_metric_by_its_name() -> None:
    assert stated(metric="squared_distance").metric is Metric.SQUARED_DISTANCE
    with pytest.raises(ValueError, match="squared_distance"):
        stated(metric="squared distances")


def test_what_cannot_be_read_is_named() -> None:
    with pytest.raises(ValueError, match="kappa, which no constant is called"):
        stated(bound="kappa/T")
    with pytest.raises(ValueError, match="cannot read the formula"):
        stated(bound="1/(T")
    with pytest.raises(ValueError, match="give limit"):
        stated(stepsize="1/L")


def test_a_formula_is_read_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever is asked of it afterwards, ten thousand times in an attack."""
    theorem = stated(bound="initial_gap/(gamma*T) + sigma2/n + 7", limit="1/(3*L)")
    step, times = theorem.stepsize(C, 10), np.array([1.0])
    first = theorem.bound(C, step, times)

    def refused(*_args: object, **_given: object) -> None:
        raise AssertionError("read again")

    monkeypatch.setattr(sympy, "sympify", refused)
    monkeypatch.setattr(sympy, "lambdify", refused)
    monkeypatch.setattr(formula, "expression", refused)
    assert theorem.bound(C, step, times) == first
    assert not theorem.violations(C, step, 10)
