"""The catalogue: surveyed methods and methods since, each as data, with the recipe it is made by.

A file of this room declares its ready rows in ``ENTRIES`` and is found by itself.
"""

from __future__ import annotations

from algorithms.catalogue.entries import assembled
from algorithms.catalogue.row import CORE, OBJECTIVES, Recipe, Row
from algorithms.catalogue.subject import RowSubject
from algorithms.catalogue.tuned import Tuned
from algorithms.compressors.base import Compressor
from algorithms.core.names import look_up
from algorithms.problems.entries import PROBLEMS, entry_called, problem
from algorithms.problems.entry import ProblemEntry
from theory.members import declared
from theory.survey.rows import SURVEY_ROWS

__all__ = [
    "CORE", "FORMS", "METHODS", "OBJECTIVES", "OPERATORS", "PROBLEMS", "ROWS", "ProblemEntry",
    "Recipe", "Row", "RowSubject", "Tuned", "base_of", "entry_called", "forms_of", "problem", "row",
]  # fmt: skip

ROWS: tuple[Row, ...] = assembled(SURVEY_ROWS, declared("algorithms.catalogue", "ENTRIES"))

METHODS: tuple[Row, ...] = tuple(r for r in ROWS if r.recipe)
"""Rows that run: the ready ones but those that have a subject."""

OPERATORS: dict[str, Compressor] = {
    operator.name: operator
    for operator in (
        *(operator for r in ROWS for operator in r.operators),
        *declared("algorithms.compressors", "EXAMPLES"),
    )
}
"""Operators whose claims are checked, by name: those of rows, and what their files declare in a
tuple ``EXAMPLES`` besides."""


FORMS: dict[str, Row] = {
    form.row.key: form.row for form in declared("algorithms.catalogue", "FORMS")
}
"""Variants that rows' texts name, as rows of their own, by ``ROW:FORM``."""


def forms_of(key: str) -> tuple[Row, ...]:
    """The forms of the row called ``key``."""
    return tuple(form for form in FORMS.values() if form.base == key)


def base_of(key: str) -> str:
    """Key of the row that ``key`` names: itself, but of a form ``ROW:FORM``."""
    return FORMS[key].base if key in FORMS else key


def row(key: str) -> Row:
    """The row called ``key``, or the form called ``ROW:FORM``.

    Raises:
        UnknownName: there is none; suggests the nearest.
    """
    if ":" in key:
        return look_up("form", key, FORMS)
    return look_up("row", key, {r.key: r for r in ROWS})
