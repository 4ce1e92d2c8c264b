"""The suite says how many planted faults it refuted."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import pytest

from algorithms.catalogue import ROWS
from algorithms.compressors.base import Compressor
from proofs_check.mutants import report
from proofs_check.mutants.method_mutant import MethodMutant, OperatorMutant, Verdicts, decisive
from proofs_check.mutants.report import (
    METHOD_MUTANTS,
    MUTANTS,
    MutantOutcome,
    faults_in,
    method_outcome,
    operator_outcome,
)
from proofs_check.verdict import Verdict
from tests.proofs_check.rooms import ROOMS
from theory.members import modules

Record = Callable[[str, object], None]

FAMILIES = set(ROOMS.values())


def home_of(mutant: OperatorMutant | MethodMutant) -> str:
    """The family whose faults it is among, or the file of ``proofs_check/mutants``."""
    (home,) = (
        module.__name__.split(".")[2]
        for module in (*modules("proofs_check.evidence"), *modules("proofs_check.mutants"))
        if module is not report
        if any(mutant is one for one in faults_in(module, type(mutant)))
    )
    return home


def families_of(operator: Compressor) -> set[str]:
    """Rooms of the rows that send with an operator of this kind, or with one made of it."""
    return {
        ROOMS[row.key]
        for row in ROWS
        for own in row.operators
        if type(operator) in (type(own), type(getattr(own, "inner", None)))
    }


@cache
def genuine_of(right: Callable[[], Verdicts]) -> Verdict:
    """What a check says of the right thing, asked once for all mutants that it judges."""
    return decisive(right())


def seen(outcome: MutantOutcome, record: Record) -> None:
    """The end of the run counts what is recorded here."""
    record("mutant", outcome.refuted)
    assert outcome.refuted, outcome
    assert outcome.planted and outcome.check and outcome.evidence


@pytest.mark.slow
@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_wrong_operator_is_refuted(mutant: OperatorMutant, record_property: Record) -> None:
    seen(operator_outcome(mutant), record_property)
    assert home_of(mutant) in families_of(getattr(mutant.mutant, "right", mutant.mutant))


@pytest.mark.slow
@pytest.mark.parametrize("mutant", METHOD_MUTANTS, ids=lambda mutant: mutant.name)
def test_a_wrong_method_is_refuted_and_the_genuine_is_not(
    mutant: MethodMutant, record_property: Record
) -> None:
    outcome, genuine = method_outcome(mutant), genuine_of(mutant.right)
    seen(outcome, record_property)
    home = home_of(mutant)
    assert home not in FAMILIES or ROOMS.get(genuine.subject, home) == home
    assert genuine.outcome.holds, genuine
    assert outcome.check == genuine.check


def test_names_are_unique_and_enough() -> None:
    names = {mutant.name for mutant in (*MUTANTS, *METHOD_MUTANTS)}
    assert len(names) == len(MUTANTS) + len(METHOD_MUTANTS) >= 100
