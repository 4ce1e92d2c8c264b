"""Numbers in the sentences of a theorem's conditions, against the formulas beside them.

A sentence says ``shift must be at least 2 L/mu = 8, got shift=8``: computer algebra reads the
formula here, the code gives the number. A condition that asks for less, or for more than it says,
breaks no bound unless it is tight.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields
from typing import Any

from proofs_check.instruments.written_formulas import formula_value
from proofs_check.refute.written_limits import changed_one_by_one
from proofs_check.verdict import CheckKind, Outcome, Verdict
from theory.constants import Constants, Inapplicable
from theory.theorem import Theorem

_SENTENCE = re.compile(r"(\w+) must be (?:at most |at least )?(.+) = ([-+.\deE]+), got ")
_DIGITS = 1e-5  # a sentence has six digits of its number
_HORIZON = 100


def written_conditions(theorem: Theorem) -> Verdict:
    """Every number that a condition tells beside a formula of constants, at the theorem's example
    and around it; the stepsize's limit has a check of its own."""
    worst, where, read, unread = 0.0, "", 0, set[str]()
    for c in changed_one_by_one(theorem.example):
        numbers = {
            one.name: value for one in fields(c)
            if isinstance(value := getattr(c, one.name), int | float)
        }  # fmt: skip
        for name, formula, told in _told(theorem, c):
            found = formula_value(formula, numbers)
            if found is None:
                unread.add(formula)
                continue
            read += 1
            off = abs(found - told) / max(abs(told), abs(found), 1e-12)
            if not off <= worst:
                worst, where = off, f" in {name}: {formula} = {found:.6g} against {told:.6g}"
    return Verdict(
        subject=theorem.name, check="written conditions", kind=CheckKind.LIMIT,
        claim="the numbers in a theorem's conditions are those of the formulas beside them",
        outcome=Outcome.NOT_APPLICABLE if not read
        else Outcome.AGREES if worst <= _DIGITS else Outcome.REFUTED,
        statistic=worst if read else None, bound=_DIGITS if read else None,
        evidence=f"{worst:.2g} off at most in {read} sentences{where if worst > _DIGITS else ''}"
        + (f"; not computed: {', '.join(sorted(unread))}" if unread else ""),
        provenance=str(theorem.source),
    )  # fmt: skip


def _told(theorem: Theorem, c: Constants) -> Iterator[tuple[str, str, float]]:
    """Name, formula and number of the conditions at constants, but the limit of a stepsize."""
    any_theorem: Any = theorem
    try:
        step = theorem.stepsize(c, _HORIZON)
        premises = any_theorem.premises(c) if hasattr(theorem, "premises") else ()
        conditions = any_theorem.conditions(c, step) if hasattr(theorem, "conditions") else ()
    except (ArithmeticError, AttributeError, Inapplicable, ValueError):
        return
    for _, sentence in (*premises, *conditions):
        found = _SENTENCE.match(sentence)
        if found is not None and found[1] != "gamma":
            yield found[1], found[2], float(found[3])
