"""All mutants at once: which check was to refute each, and whether it did."""

from __future__ import annotations

from typing import NamedTuple, final

from proofs_check.compressors.check import check_compressor
from proofs_check.mutants.method_mutant import MethodMutant
from proofs_check.mutants.operator_mutant import OperatorMutant
from proofs_check.verdict import Outcome
from theory.members import declared

_DIMENSION = 256  # in which operator mutants are checked

MUTANTS: tuple[OperatorMutant, ...] = (
    *declared("proofs_check.evidence", "MUTANTS"),
    *declared("proofs_check.mutants", "MUTANTS"),
)
METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    *declared("proofs_check.evidence", "METHOD_MUTANTS"),
    *declared("proofs_check.mutants", "METHOD_MUTANTS"),
)


@final
class MutantOutcome(NamedTuple):
    """One planted fault: ``refuted`` says whether ``check`` saw it, ``evidence`` how.

    Attributes:
        name: what reports call it.
    """

    name: str
    planted: str
    check: str
    refuted: bool
    evidence: str


def refute_all() -> tuple[MutantOutcome, ...]:
    """Every operator, method and bound mutant under the check that must refute it."""
    return (*map(operator_outcome, MUTANTS), *map(method_outcome, METHOD_MUTANTS))


def operator_outcome(mutant: OperatorMutant) -> MutantOutcome:
    """One wrong operator under its check."""
    hits = [
        verdict
        for verdict in check_compressor(mutant.mutant, d=_DIMENSION, only=mutant.check)
        if verdict.check == mutant.check and verdict.outcome is Outcome.REFUTED
    ]
    evidence = hits[0].evidence if hits else "no verdict of this check is refuted"
    return MutantOutcome(mutant.name, mutant.planted, mutant.check, bool(hits), evidence)


def method_outcome(mutant: MethodMutant) -> MutantOutcome:
    """One wrong method or bound under its check."""
    verdict = mutant.refute()
    refuted = verdict.outcome is Outcome.REFUTED
    return MutantOutcome(mutant.name, mutant.planted, verdict.check, refuted, verdict.evidence)
