"""The catalogue: every surveyed method as data, the ready ones with the recipe they are made by.

A file of this room declares its ready rows in ``ENTRIES`` and is found by itself.
"""

from __future__ import annotations

from algorithms.catalogue.entries import assembled
from algorithms.catalogue.row import CORE, OBJECTIVES, Recipe, Row, Tuned
from algorithms.names import look_up
from algorithms.problems.entries import PROBLEMS, ProblemEntry, problem
from theory.members import declared
from theory.survey.rows import SURVEY_ROWS

__all__ = [
    "CORE", "OBJECTIVES", "PROBLEMS", "ROWS", "ProblemEntry", "Recipe", "Row", "Tuned", "problem",
    "row",
]  # fmt: skip

ROWS: tuple[Row, ...] = assembled(SURVEY_ROWS, declared("algorithms.catalogue", "ENTRIES"))


def row(key: str) -> Row:
    """The row called ``key``.

    Raises:
        UnknownName: there is none; suggests the nearest.
    """
    return look_up("row", key, {r.key: r for r in ROWS})
