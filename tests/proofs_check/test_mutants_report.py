"""The suite says how many planted faults it refuted."""

from __future__ import annotations

from collections.abc import Callable

from proofs_check.mutants.report import (
    METHOD_MUTANTS,
    MUTANTS,
    MutantOutcome,
    refute_all,
    summary,
)


def test_all_mutants_are_refuted(record_property: Callable[[str, object], None]) -> None:
    outcomes = refute_all()
    record_property("summary", summary(outcomes))
    assert len(outcomes) == len(MUTANTS) + len(METHOD_MUTANTS) >= 10
    assert len({outcome.name for outcome in outcomes}) == len(outcomes)
    for outcome in outcomes:
        assert outcome.refuted, outcome
        assert outcome.planted and outcome.check and outcome.evidence


def test_the_summary_names_what_got_through() -> None:
    seen = MutantOutcome("a", "fault", "check", True, "seen")
    missed = MutantOutcome("b", "fault", "check", False, "")
    assert summary((seen, seen)) == "mutants refuted: 2 of 2"
    assert summary((seen, missed)) == "mutants refuted: 1 of 2; not refuted: b"
