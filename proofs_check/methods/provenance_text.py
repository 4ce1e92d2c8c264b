"""What verdicts on runs say in common: how a run was made, and why no theorem speaks of it."""

from __future__ import annotations

from dataclasses import replace

from algorithms.catalogue import Row
from algorithms.problems.base import Problem
from proofs_check.methods.tuned_run import TunedRun
from proofs_check.verdict import Outcome, Verdict
from theory.constants import MissingConstants
from theory.theorem import Theorem


def told(played: TunedRun, seed: int | None = None) -> str:
    """Seed, replicas, steps and stepsize of a run."""
    trace = played.trace
    return (
        f"seed {trace.seed if seed is None else seed}, {len(trace.squared_gradient)} replicas, "
        f"{played.steps} steps, {played.tuned.step_text}{f', {played.note}' if played.note else ''}"
    )


def reasons(row: Row, played: TunedRun) -> str:
    """Why none of the row's theorems applies, or cannot be held against a trace."""
    theorem = played.tuned.theorem
    if theorem is not None:
        return (
            f"{theorem.name} applies; its metric ({theorem.metric.value}) is not in a trace, or"
            " it has no order in T: its bound has a check of its own"
        )
    told = [f"{theorem.name}: {_reason(theorem, played)}" for theorem in row.theorems]
    return " | ".join(told) or row.why or "no theorem is stated for this row"


def _reason(theorem: Theorem, played: TunedRun) -> str:
    missing = played.constants.missing(theorem.needs)
    if missing:
        return f"needs {', '.join(missing)}"
    try:
        step = theorem.stepsize(played.constants, played.steps)
    except MissingConstants as error:
        return str(error)
    return "; ".join(theorem.violations(played.constants, step, played.steps))


def no_theorem(row: Row, problem: Problem, played: TunedRun, check: str, claim: str) -> Verdict:
    """Not applicable, with the reasons."""
    return Verdict(
        subject=row.key, problem=problem.name, check=check, claim=claim,
        outcome=Outcome.NOT_APPLICABLE, evidence=reasons(row, played),
        provenance=told(played),
    )  # fmt: skip


def about(verdict: Verdict, theorem: Theorem) -> Verdict:
    """With the theorem's name; what rests on memory or orders alone is compared, not asserted."""
    outcome = verdict.outcome if theorem.confidence.assertable else Outcome.COMPARED
    return replace(verdict, outcome=outcome, theorem=theorem.name)
