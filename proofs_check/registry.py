"""All evidence by kind, found where it lies: nobody lists what a family's folder holds.

Closed forms of a row (:class:`ClosedForms`), demonstrations of errata, effects, studies and faults
are found by their type. What is of no such type a module of :mod:`proofs_check.evidence` (or of the
rooms named below) declares: other closed forms in a tuple called ``CLOSED_FORMS``, as those of
:mod:`proofs_check.shared_code` are, those that show an erratum with its name in ``DEMONSTRATIONS``,
derivations in ``PROOFS``, runs under a bound in ``BOUND_CHECKS``, other faults in ``MUTANTS``
(operators) and ``METHOD_MUTANTS``.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_check.bounds.every import BOUND_CHECKS as BOUND_CHECKS
from proofs_check.effects import EFFECTS as EFFECTS
from proofs_check.instruments.closed_forms import ClosedForms
from proofs_check.instruments.erratum import Demonstration
from proofs_check.instruments.study import Study
from proofs_check.verdict import Verdict
from theory.members import declared, members

STUDIES: tuple[Study, ...] = members("proofs_check.evidence", Study)

_SHOWN: tuple[Demonstration, ...] = members("proofs_check.evidence", Demonstration)

CLOSED_FORMS: tuple[Callable[[], tuple[Verdict, ...]], ...] = (
    *members("proofs_check.evidence", ClosedForms),
    *_SHOWN,
    *declared("proofs_check.evidence", "CLOSED_FORMS"),
    *declared("proofs_check.shared_code", "CLOSED_FORMS"),
)

PROOFS: tuple[Callable[[], Verdict], ...] = (
    *declared("proofs_check.evidence", "PROOFS"),
    *declared("proofs_check.proofs", "PROOFS"),
)

DEMONSTRATIONS: dict[str, Callable[[], tuple[Verdict, ...]]] = {
    **{one.name: one for one in _SHOWN},
    **dict(declared("proofs_check.evidence", "DEMONSTRATIONS")),
}
"""By the name of an erratum, the case that shows it; citations have none."""


def demonstrated(name: str) -> tuple[Verdict, ...]:
    """Verdicts of an erratum's demonstration; none where it has none (a citation)."""
    found = DEMONSTRATIONS[name]() if name in DEMONSTRATIONS else ()
    return tuple(one for one in found if one.check == f"erratum {name}")
