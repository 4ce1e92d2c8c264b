"""Every planted fault in a method or bound is refuted by a check that passes the genuine thing."""

from __future__ import annotations

import pytest

from proofs_check.mutants.methods import MethodMutant, decisive
from proofs_check.mutants.report import METHOD_MUTANTS
from proofs_check.verdict import Outcome, Verdict


@pytest.mark.parametrize("mutant", METHOD_MUTANTS, ids=lambda mutant: mutant.name)
def test_the_fault_is_refuted_and_the_genuine_is_not(mutant: MethodMutant) -> None:
    refuted, genuine = mutant.refute(), mutant.genuine()
    assert refuted.outcome is Outcome.REFUTED, refuted
    assert genuine.outcome in (Outcome.PROVED, Outcome.SUPPORTED), genuine
    assert refuted.check == genuine.check
    assert refuted.evidence and mutant.planted


def test_names_are_unique_and_enough() -> None:
    assert len({mutant.name for mutant in METHOD_MUTANTS}) == len(METHOD_MUTANTS) >= 10


def test_one_refuted_verdict_decides() -> None:
    good = Verdict("s", "c", "k", Outcome.PROVED)
    bad = Verdict("s", "c", "k", Outcome.REFUTED)
    assert decisive((good, bad)) is bad
    assert decisive((good, good)) is good
    assert decisive(bad) is bad
