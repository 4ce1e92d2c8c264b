"""All mutants at once: which check was to refute each, and whether it did."""

from __future__ import annotations

from types import ModuleType
from typing import NamedTuple, TypeVar, final

from proofs_check.compressors.check import check_compressor
from proofs_check.mutants.method_mutant import MethodMutant, OperatorMutant
from proofs_check.verdict import Outcome
from theory.members import modules

_DIMENSION = 256  # in which operator mutants are checked

Fault = TypeVar("Fault", bound=OperatorMutant | MethodMutant)

_TUPLES: dict[type, str] = {OperatorMutant: "MUTANTS", MethodMutant: "METHOD_MUTANTS"}


def faults_in(module: ModuleType, kind: type[Fault]) -> tuple[Fault, ...]:
    """Faults of a module: those that it defines by name, and those of its tuple of the kind."""
    named = (value for value in vars(module).values() if isinstance(value, kind))
    return (*named, *getattr(module, _TUPLES[kind], ()))


def _faults(kind: type[Fault]) -> tuple[Fault, ...]:
    rooms = (*modules("proofs_check.evidence"), *modules("proofs_check.mutants"))
    return tuple(fault for module in rooms for fault in faults_in(module, kind))


MUTANTS: tuple[OperatorMutant, ...] = _faults(OperatorMutant)
METHOD_MUTANTS: tuple[MethodMutant, ...] = _faults(MethodMutant)


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
