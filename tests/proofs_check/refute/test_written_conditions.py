"""Numbers in conditions against their formulas: planted wrong, and all theorems' own."""

from __future__ import annotations

import pytest

from proofs_check.instruments.written_formulas import formula_value
from proofs_check.refute.written_conditions import written_conditions
from proofs_check.refute.written_limits import changed_one_by_one, written_limit
from proofs_check.verdict import Outcome
from theory.ranges import RANGES
from theory.theorems import PROVED_ONLY, THEOREMS
from theory.theorems.ef_sgd_variance import EfSgdVariance, ef_sgd_variance
from theory.theorems.mem_sgd import ALPHA, MemSgd, mem_sgd

EVERY = {one.name: one for one in (*THEOREMS, *PROVED_ONLY)}


@pytest.mark.parametrize("name", sorted(EVERY))
def test_conditions_tell_the_numbers_of_their_formulas(name: str) -> None:
    found = written_conditions(EVERY[name])
    assert found.outcome is not Outcome.REFUTED, found.evidence


def test_a_condition_that_asks_for_less_than_it_says_is_refuted(monkeypatch) -> None:
    def wrong(self, c):
        rho = 4 * ALPHA / ((ALPHA - 4) * (ALPHA + 1) ** 2)
        return ALPHA / c.need("delta") + rho / (rho + 1)

    assert written_conditions(mem_sgd).outcome is Outcome.AGREES
    monkeypatch.setattr(MemSgd, "least_shift", wrong)
    found = written_conditions(mem_sgd)
    assert found.outcome is Outcome.REFUTED and "6/delta + 5/14" in found.evidence


def test_the_branch_of_a_limit_that_the_example_does_not_take_is_compared(monkeypatch) -> None:
    """delta = 1/4 takes the other one."""

    def wrong(self, c):
        lost = (1 - c.need("delta")) ** 0.5 / c.need("delta")
        return 1 / (4 * c.need("L") * max(0.25, lost))

    assert written_limit(ef_sgd_variance).outcome is Outcome.AGREES
    monkeypatch.setattr(EfSgdVariance, "limit", wrong)
    assert written_limit(ef_sgd_variance).outcome is Outcome.REFUTED


def test_constants_are_changed_within_their_ranges_and_next_to_an_end() -> None:
    changed = list(changed_one_by_one(ef_sgd_variance.example))
    deltas = sorted({c.delta for c in changed})
    assert all(RANGES["delta"].holds(one) for one in deltas)
    assert deltas[-1] == pytest.approx(0.999) and deltas[0] == pytest.approx(0.0025)


def test_formulas_are_read_or_nothing_is_said() -> None:
    assert formula_value("min(1/2, a b)/L", {"a": 1.0, "b": 0.25, "L": 2.0}) == 0.125
    assert formula_value("a/c", {"a": 1.0}) is None
    assert formula_value("the prescribed one", {"a": 1.0}) is None
    assert formula_value("a/b", {"a": 1.0, "b": 0.0}) is None
