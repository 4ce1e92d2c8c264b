"""Stepsizes that a theorem prescribes against its own conditions."""

from __future__ import annotations

from collections.abc import Iterator

from proofs_check.refute.written_limits import changed_one_by_one
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.constants import Inapplicable
from theory.theorem import Theorem
from theory.theorems.kinds import OneKind

_HORIZONS = 1, 7, 1000, 10**6, 10**30


def allowed_step(theorem: Theorem) -> Verdict:
    """The rule that is prescribed, for few steps and for many, where the premises hold: the theorem
    must allow it. One that is longer has no bound, and nobody would hear of it."""
    faults, looked = list[str](), 0
    for fault in _asked(theorem):
        looked += 1
        faults += [fault] if fault else []
    return Verdict(
        subject=theorem.name, check="allowed stepsize", kind=CheckKind.LIMIT,
        claim="the stepsizes that are prescribed meet the conditions on stepsizes",
        outcome=Outcome.REFUTED if faults else Outcome.AGREES if looked else Outcome.NOT_APPLICABLE,
        statistic=float(len(faults)), bound=0.0, resolution=0.0,
        evidence=f"{faults[0]}; {len(faults)} of {looked}" if faults
        else f"at {looked} sets of constants and numbers of steps" if looked
        else "its conditions do not say which are on stepsizes",
        provenance=str(theorem.source),
    )  # fmt: skip


def _asked(theorem: Theorem) -> Iterator[str]:
    """For constants around the example and numbers of steps: what is said against the stepsize."""
    if not isinstance(theorem, OneKind):
        return
    for c in changed_one_by_one(theorem.example):
        for steps in _HORIZONS:
            try:
                step = theorem.stepsize(c, steps)
                if not all(holds for holds, _ in theorem.premises(c.completed())):
                    continue
            except (Inapplicable, ArithmeticError, ValueError) as error:
                if c is theorem.example:
                    yield f"no stepsize at its example: {error}"
                continue
            yield "; ".join(theorem.violations(c, step, steps))
