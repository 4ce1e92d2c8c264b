"""What the engine refuses, and why; what it says of rows."""

from __future__ import annotations

import pytest

from algorithms.catalogue import METHODS
from algorithms.compressors.top_k import TopK
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.moments.engine import exact_moments
from proofs_check.moments.reasons import NotLinear, Reason
from proofs_check.moments.rows import engine_reason, is_exact, row_moments, standard_problem
from theory.stepsizes import ConstantStep

ROWS = {row.key: row for row in METHODS}


@pytest.mark.parametrize(
    ("key", "reason", "field"),
    [
        ("top-k", Reason.OPERATOR, "memory"),
        ("lars", Reason.STEP, "x"),
        ("push-sum", Reason.COURSE, "w"),
        ("cmfl", Reason.STEP, "update"),
        ("cola", Reason.PROBLEM, ""),
    ],
)
def test_reasons(key: str, reason: Reason, field: str) -> None:
    found = engine_reason(ROWS[key])
    assert found is not None
    assert (found.reason, found.field) == (reason, field)


def test_an_operator_that_is_not_linear_is_named() -> None:
    with pytest.raises(NotLinear, match=r"operator is not linear .*memory.*top-k"):
        exact_moments(BSP(ConstantStep(0.1), TopK(1), ErrorFeedback()), standard_problem(), (5,))


@pytest.mark.parametrize("key", ["bsp-sgd", "d-psgd", "easgd", "randomised-gossip", "aasgd"])
def test_exact_rows(key: str) -> None:
    assert is_exact(ROWS[key])


def test_exponent_of_plain_sgd() -> None:
    """At the stepsize T^-1/2 the average squared gradient falls as T^-1/2."""
    found = row_moments(ROWS["bsp-sgd"])
    assert found.reason is None
    assert abs(found.exponent + 0.5) < 0.005


def test_a_schedule_has_no_exponent() -> None:
    found = row_moments(ROWS["asp"])
    assert found.reason is None and found.exponent != found.exponent and "schedule" in found.note


def test_period_as_long_as_the_look() -> None:
    """A period that does not come three times in the steps that are looked at is refused."""
    with pytest.raises(NotLinear) as caught:
        exact_moments(LocalSGD(ConstantStep(0.1), 500), standard_problem(), (100_000,))
    assert caught.value.reason is Reason.PERIOD
