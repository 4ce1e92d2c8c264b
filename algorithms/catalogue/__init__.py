"""The catalogue: every surveyed method as data, the ready ones with the recipe they are made by.

A file of this room declares its ready rows in ``ENTRIES`` and is found by itself.
"""

from __future__ import annotations

from algorithms.catalogue.entries import assembled
from algorithms.catalogue.row import CORE, OBJECTIVES, Recipe, Row, Tuned
from algorithms.compressors.base import Compressor
from algorithms.names import look_up
from algorithms.problems.entries import PROBLEMS, problem
from algorithms.problems.entry import ProblemEntry
from theory.members import declared
from theory.survey.rows import SURVEY_ROWS

__all__ = [
    "CORE", "OBJECTIVES", "OPERATORS", "PROBLEMS", "ROWS", "ProblemEntry", "Recipe", "Row", "Tuned",
    "problem", "row",
]  # fmt: skip

ROWS: tuple[Row, ...] = assembled(SURVEY_ROWS, declared("algorithms.catalogue", "ENTRIES"))

OPERATORS: dict[str, Compressor] = {
    operator.name: operator
    for operator in (
        *(operator for r in ROWS for operator in r.operators),
        *declared("algorithms.compressors", "EXAMPLES"),
    )
}
"""Operators whose claims are checked, by name: those of rows, and what their files declare in a
tuple ``EXAMPLES`` besides."""


def row(key: str) -> Row:
    """The row called ``key``.

    Raises:
        UnknownName: there is none; suggests the nearest.
    """
    return look_up("row", key, {r.key: r for r in ROWS})
