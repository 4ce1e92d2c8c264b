"""Constants on data where they are attained: all hold, and one that is 1% off is refuted."""

from __future__ import annotations

import pytest

from algorithms.problems import datasets, logistic_bounds
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.regularisers import BoundedNonconvex
from proofs_check.problems.stating import StatedProblem
from proofs_check.shared_code import attained_constants
from proofs_check.shared_code.attained_constants import CLOSED_FORMS
from proofs_check.verdict import Outcome


def outcomes(check):
    return {verdict.outcome for verdict in check()}


def cases():
    """All constants that are known by hand."""
    for family in ("_logistic", "_absolute", "_pairs", "_regression", "_quadratics"):
        yield from getattr(attained_constants, family)()
    yield attained_constants._shards()


@pytest.mark.parametrize("check", CLOSED_FORMS, ids=lambda check: check.__name__)
def test_all_hold(check):
    assert outcomes(check) == {Outcome.AGREES}


@pytest.mark.parametrize("factor", [0.99, 1.01])
def test_a_constant_that_is_a_hundredth_off_is_refuted(factor):
    for case in cases():
        stated = case.problem.constants()
        off = stated.state(
            stated.statements[case.name], **{case.name: factor * stated.need(case.name)}
        )
        (found,) = attained_constants._held(
            (case._replace(problem=StatedProblem(case.problem, off)),)
        )
        assert found.outcome is Outcome.REFUTED, case.name


@pytest.mark.parametrize("name", ["variance", "heterogeneity", "second_moment", "longest"])
def test_a_bound_that_is_a_twentieth_longer_than_need_be_is_refuted(name, monkeypatch):
    from algorithms.problems import logistic

    true = getattr(logistic_bounds, name)
    monkeypatch.setattr(logistic.logistic_bounds, name, lambda *given: 1.05 * true(*given))
    assert Outcome.REFUTED in outcomes(attained_constants.attained_bounds)


def test_a_slope_without_its_weight_is_refuted(monkeypatch):
    monkeypatch.setattr(BoundedNonconvex, "slope", property(lambda self: 3.0 * 3.0**0.5 / 8.0))
    assert Outcome.REFUTED in outcomes(attained_constants.attained_bounds)


def test_a_minimum_that_is_taken_elsewhere_is_refuted(monkeypatch):
    true = Quadratic.from_arrays

    def elsewhere(a, b, **given):
        return true(a, 1.01 * b, **given)

    monkeypatch.setattr(Quadratic, "from_arrays", staticmethod(elsewhere))
    assert Outcome.REFUTED in outcomes(attained_constants.attained_minima)


def test_features_of_another_range_are_refuted(monkeypatch):
    true = datasets.digits()
    wider = datasets.Samples(true.name, 1.05 * true.features, true.labels)
    monkeypatch.setattr(datasets, "digits", lambda: wider)
    assert Outcome.REFUTED in outcomes(attained_constants.data_sets)


@pytest.mark.parametrize(("step", "lam"), [(1.05, 1.0), (1.0, 0.95), (0.9, 1.0)])
def test_a_radius_of_other_steps_is_refuted(step, lam, monkeypatch):
    true = logistic_bounds.reach
    monkeypatch.setattr(logistic_bounds, "reach", lambda length, weight, longest: true(
        length, lam * weight, step * longest
    ))  # fmt: skip
    assert Outcome.REFUTED in outcomes(attained_constants.attained_reach)
