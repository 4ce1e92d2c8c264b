"""All evidence by kind, found where it lies: nobody lists what a family's folder holds.

A module of :mod:`proofs_check.evidence` (or of the rooms named below) declares its closed forms in
a tuple called ``CLOSED_FORMS``, those that show an erratum with its name in ``DEMONSTRATIONS``,
derivations in ``PROOFS``, runs under a bound in ``BOUND_CHECKS``, faults in ``MUTANTS`` (operators)
and ``METHOD_MUTANTS``. Effects and studies are found by their type.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_check.bounds.check import BoundCheck
from proofs_check.effects import EFFECTS as EFFECTS
from proofs_check.instruments.study import Study
from proofs_check.verdict import Verdict
from theory.members import declared, members

STUDIES: tuple[Study, ...] = members("proofs_check.evidence", Study)

CLOSED_FORMS: tuple[Callable[[], tuple[Verdict, ...]], ...] = declared(
    "proofs_check.evidence", "CLOSED_FORMS"
)

PROOFS: tuple[Callable[[], Verdict], ...] = (
    *declared("proofs_check.evidence", "PROOFS"),
    *declared("proofs_check.proofs", "PROOFS"),
)

BOUND_CHECKS: tuple[BoundCheck, ...] = declared("proofs_check.evidence", "BOUND_CHECKS")

DEMONSTRATIONS: dict[str, Callable[[], tuple[Verdict, ...]]] = dict(
    declared("proofs_check.evidence", "DEMONSTRATIONS")
)
"""By the name of an erratum, the case that shows it; citations have none."""


def demonstrated(name: str) -> tuple[Verdict, ...]:
    """What the demonstration of an erratum finds; nothing where it has none (a citation)."""
    found = DEMONSTRATIONS[name]() if name in DEMONSTRATIONS else ()
    return tuple(one for one in found if one.check == f"erratum {name}")
