"""The suite says how many planted faults it refuted."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from proofs_check.mutants.methods import MethodMutant
from proofs_check.mutants.operators import OperatorMutant
from proofs_check.mutants.report import (
    METHOD_MUTANTS,
    MUTANTS,
    MutantOutcome,
    method_outcome,
    operator_outcome,
    summary,
)

Record = Callable[[str, object], None]


def seen(outcome: MutantOutcome, record: Record) -> None:
    """The end of the run counts what is recorded here."""
    record("mutant", outcome.refuted)
    assert outcome.refuted, outcome
    assert outcome.planted and outcome.check and outcome.evidence


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_wrong_operator_is_refuted(mutant: OperatorMutant, record_property: Record) -> None:
    seen(operator_outcome(mutant), record_property)


@pytest.mark.parametrize("mutant", METHOD_MUTANTS, ids=lambda mutant: mutant.name)
def test_a_wrong_method_is_refuted_and_the_genuine_is_not(
    mutant: MethodMutant, record_property: Record
) -> None:
    outcome, genuine = method_outcome(mutant), mutant.genuine()
    seen(outcome, record_property)
    assert genuine.outcome.holds, genuine
    assert outcome.check == genuine.check


def test_names_are_unique_and_enough() -> None:
    names = {mutant.name for mutant in (*MUTANTS, *METHOD_MUTANTS)}
    assert len(names) == len(MUTANTS) + len(METHOD_MUTANTS) >= 100


def test_the_summary_names_what_got_through() -> None:
    found = MutantOutcome("a", "fault", "check", True, "seen")
    missed = MutantOutcome("b", "fault", "check", False, "")
    assert summary((found, found)) == "mutants refuted: 2 of 2"
    assert summary((found, missed)) == "mutants refuted: 1 of 2; not refuted: b"
