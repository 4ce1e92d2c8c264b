"""Records of a run on f plus a constant: where f* is 0, a wrong use of it does not show."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue import Row
from algorithms.methods.parts.scheduled import Scheduled
from algorithms.problems.base import Problem
from proofs_check.methods.instrumented_run import RunObservations, watch
from proofs_check.methods.run_paths import recorded
from proofs_check.problems.shifted import ShiftedProblem
from proofs_check.verdict import CheckKind, Outcome, Verdict

CHECK = "records of f plus a constant"
"""What the check is called."""
_CLAIM = "records are those of the models also where f* is another"


def shifted(
    row: Row, problem: Problem, seen: RunObservations, seed: int, provenance: str
) -> Verdict:  # fmt: skip
    """:func:`~.run_paths.recorded` of a run of the row's method on f plus a constant, as long as
    ``seen``; a method that reads values of f may go elsewhere there."""
    steps, replicas = len(seen.models) - 1, seen.models[0].shape[0]
    by = 1.0 + 2.0 * abs(float(problem.value(problem.start())))
    other, method = ShiftedProblem(problem, by), row.build(problem, steps)
    schedule = method.schedule(problem.n) if isinstance(method, Scheduled) else None
    told = f"{provenance}; f plus {by:.4g}"
    try:
        there = watch(method, other, steps=steps, replicas=replicas, seed=seed)
        found = recorded(row.key, other, method, there, seed, told, schedule)
    except (TypeError, ValueError) as error:  # the method asks for a problem of one kind
        return Verdict(
            subject=row.key, problem=problem.name, check=CHECK, claim=_CLAIM, provenance=told,
            kind=CheckKind.INVARIANT, outcome=Outcome.NOT_APPLICABLE, evidence=str(error),
        )  # fmt: skip
    return replace(found, check=CHECK, claim=_CLAIM)
