"""Theorems: what every one of them does at its own example, and the order of its bound."""

from __future__ import annotations

import math
import sys
from pathlib import Path

import numpy as np
import pytest

import theory.theorems
from tests.theory.cases import at
from theory.claims import Confidence
from theory.constants import Constants, MissingConstants
from theory.stepsizes import ConstantStep, InverseRootStep, InverseTimeStep, Stepsize
from theory.theorem import Metric, Theorem, labelled_formula
from theory.theorems import PROVED_ONLY, THEOREMS
from theory.theorems.diana import diana

ALL = THEOREMS + PROVED_ONLY
WITH_ORDER = [t for t in ALL if "T" in t.order.exponents]  # linear, or down to a floor: the rest
each = pytest.mark.parametrize("theorem", ALL, ids=lambda t: t.name)

LARGE = {"n": 65, "tau": 100, "H": 20, "lam": 0.99}


def changed(theorem: Theorem, **values: float) -> Constants:
    """The example with those of ``values`` that it states; its n stays where it is one worker."""
    stated = theorem.example.stated()
    fixed = {"n"} if theorem.example.n == 1 else set()
    return theorem.example.state(
        None, **{k: v for k, v in values.items() if k in stated and k not in fixed}
    )


# What every theorem does


@each
def test_the_example_states_what_is_needed_and_no_more(theorem: Theorem) -> None:
    assert set(theorem.example.stated()) == set(theorem.needs)
    step = theorem.stepsize(theorem.example, 100)
    assert theorem.applies(theorem.example, step, 100)
    for name in theorem.needs:
        (sentence,) = theorem.violations(theorem.example.without(name), step, 100)
        assert sentence.startswith(f"this theorem needs {name}; stated are ")


@each
def test_missing_constants_are_named(theorem: Theorem) -> None:
    (sentence,) = theorem.violations(Constants(d=3), ConstantStep(0.1), 10)
    assert sentence == f"this theorem needs {', '.join(theorem.needs)}; stated are d"
    with pytest.raises(MissingConstants, match="this theorem needs"):
        theorem.stepsize(Constants(d=3), 10)


@each
def test_prescribed_stepsize_satisfies_its_own_conditions(theorem: Theorem) -> None:
    for horizon in (1, 10, 1000, 10**6):
        for c in (theorem.example, changed(theorem, sigma2=0.0), changed(theorem, **LARGE)):
            step = theorem.stepsize(c, horizon)
            assert theorem.violations(c, step, horizon) == ()
            curve = theorem.bound(c, step, np.array([0.0, 1.0, 10.0, float(horizon)]))
            assert np.isfinite(curve[1:]).all() and (curve >= 0).all()


@each
def test_bound_falls_until_its_floor(theorem: Theorem) -> None:
    c = changed(theorem, sigma2=1e-9, G2=1e-9)
    curve = theorem.bound(c, theorem.stepsize(c, 10**6), np.logspace(0, 6, 40))
    assert (np.diff(curve) <= 1e-12 * curve[:-1]).all()


def far_beyond(step: Stepsize) -> Stepsize:
    """A stepsize of the same kind that is larger than any limit."""
    if isinstance(step, InverseTimeStep):
        return InverseTimeStep(step.scale, 1e-3)
    return InverseRootStep(1e3) if isinstance(step, InverseRootStep) else ConstantStep(1e3)


@each
def test_too_large_a_stepsize_is_refused_by_name_unless_any_will_do(theorem: Theorem) -> None:
    c, large = theorem.example, far_beyond(theorem.stepsize(theorem.example, 100))
    sentences = theorem.violations(c, large, 100)
    assert theorem.applies(c, large, 100) == theorem.any_scale == (not sentences)
    assert all("got " in s or "a smaller one would do" in s for s in sentences)


@each
def test_other_kinds_of_stepsize_are_refused(theorem: Theorem) -> None:
    c = theorem.example
    constant = isinstance(theorem.stepsize(c, 100), ConstantStep)
    other: Stepsize = InverseTimeStep(1.0, 10.0) if constant else ConstantStep(1e-3)
    (sentence,) = theorem.violations(c, other, 100)
    assert sentence.startswith("this theorem is about a")
    with pytest.raises(TypeError, match="this theorem is about a"):
        theorem.bound(c, other, np.array([1.0]))


@each
def test_it_cites_and_states(theorem: Theorem) -> None:
    assert theorem.source.arxiv or theorem.source.where, "an arXiv number, or a theorem of a paper"
    assert theorem.source.year >= 2003
    assert theorem.confidence in (Confidence.CERTAIN, Confidence.READ, Confidence.DERIVED)
    assert "\\le" in theorem.statement and theorem.title
    assert all(name in Constants.__dataclass_fields__ for name in theorem.needs)


@each
def test_what_is_derived_here_says_so_by_its_label(theorem: Theorem) -> None:
    printed = theorem.confidence is not Confidence.DERIVED
    text = sys.modules[type(theorem).__module__].__doc__ or ""
    assert not (printed and "derived" in f"{text} {theorem.source}")


@each
def test_the_statement_stands_once_in_the_docstring_of_its_file(theorem: Theorem) -> None:
    text = (Path(theory.theorems.__path__[0]) / f"{theorem.name}.py").read_text(encoding="utf-8")
    words = " ".join(text.split())
    assert words.count(theorem.statement) == 1
    assert words.index(theorem.statement) < words.index("from __future__")


def test_a_formula_is_found_by_its_label_or_asked_for_by_name() -> None:
    text = "Says.\n\n.. math::\n   :label: mine\n\n   a \\le\n   b.\n\nMore.\n"
    assert labelled_formula(text, "mine") == "a \\le b"
    assert labelled_formula(None, "mine") == ""
    with pytest.raises(TypeError, match=r"file of 'other' must hold .*':label: other'"):
        labelled_formula(text, "other")


@each
def test_weights_are_those_of_the_weighted_metric_only(theorem: Theorem) -> None:
    c = theorem.example
    step = theorem.stepsize(c, 100)
    if theorem.metric is Metric.WEIGHTED_SUBOPTIMALITY:
        falls = isinstance(step, InverseTimeStep)
        assert theorem.weight(c, step, 3) == ((step.shift + 3) ** 2 if falls else 1.0)
    else:
        with pytest.raises(NotImplementedError, match="weighted average"):
            theorem.weight(c, step, 3)


@each
def test_empty_runs_are_refused(theorem: Theorem) -> None:
    with pytest.raises(ValueError, match="horizon must be at least 1 step, got horizon=0"):
        theorem.stepsize(theorem.example, 0)


def test_what_does_not_hold_of_the_setting_is_said_before_the_stepsize() -> None:
    c, large = diana.example.state(mu=0.0, convex=False), ConstantStep(1e3)
    convex, mu = diana.violations(c, large, 10)
    assert convex == "every f_i must be convex, got convex=False"
    assert mu == "mu must be positive, got mu=0"
    (sentence,) = diana.violations(diana.example, large, 10)
    assert sentence.startswith("gamma must be at most 1/(L_max (1 + 6 omega/n)) = ")


# Orders: log-log slopes of the bound at the prescribed stepsize, as T grows without end

HORIZON = 10**36
RANGES = {
    "n": (16, 1024), "tau": (2, 64), "H": (2, 64), "lam": (0.5, 0.9), "beta": (0.5, 0.9),
    "omega": (1e6, 1e8), "delta": (0.01, 0.5),
}  # fmt: skip


def value(theorem: Theorem, c: Constants, horizon: int) -> float:
    """The tuned bound after ``horizon`` steps, without the logarithm that orders leave out."""
    bound = at(theorem, c, theorem.stepsize(c, horizon), horizon)
    return bound / theorem.logarithm(c.completed(), horizon)


@pytest.mark.parametrize("theorem", WITH_ORDER, ids=lambda t: t.name)
def test_order_in_time(theorem: Theorem) -> None:
    first, last = (value(theorem, theorem.example, T) for T in (HORIZON, 100 * HORIZON))
    measured = math.log(last / first) / math.log(100)
    assert measured == pytest.approx(float(theorem.order.exponents["T"]), abs=1e-3)


BOUNDED_PRODUCTS = {("dcd_psgd", "lam"), ("dcd_psgd", "beta"), ("dcd_psgd", "omega"),
                    ("ecq_sgd", "omega"), ("global_momentum", "delta")}  # fmt: skip
"""Where an assumption couples constants, so that none of them can be large alone."""

FAR_OUT = {("marina", "n"), ("dasha", "n"), ("ef21", "delta")}
"""Where the power is that of the limit alone, as parts of the largest stepsize take turns."""

VARIED = [
    (theorem, name) for theorem in WITH_ORDER for name in RANGES
    if name in changed(theorem, **RANGES).statements
    and not (name == "lam" and "gap" in theorem.order.exponents)
    and (theorem.name, name) not in BOUNDED_PRODUCTS | FAR_OUT
]  # fmt: skip


@pytest.mark.parametrize(("theorem", "name"), VARIED, ids=lambda v: getattr(v, "name", v))
def test_order_in_what_the_theorem_speaks_of(theorem: Theorem, name: str) -> None:
    """What the order does not name, it leaves alone (the network's part falls faster with T)."""
    ends = RANGES[name]
    first, last = (value(theorem, theorem.example.state(**{name: x}), HORIZON) for x in ends)
    measured = math.log(last / first) / math.log(ends[1] / ends[0])
    assert measured == pytest.approx(float(theorem.order.exponents.get(name, 0)), abs=1e-3)


@pytest.mark.parametrize(
    "theorem", [t for t in WITH_ORDER if "gap" in t.order.exponents], ids=lambda t: t.name
)
def test_order_in_the_gap(theorem: Theorem) -> None:
    first, last = (value(theorem, theorem.example.state(lam=1 - g), 10**6) for g in (1e-12, 1e-14))
    measured = math.log(last / first) / math.log(0.01)
    assert measured == pytest.approx(float(theorem.order.exponents["gap"]), abs=1e-2)
