"""The problems of the catalogue, by name: what the files of this room declare in ``ENTRIES``."""

from __future__ import annotations

from functools import lru_cache

from algorithms.core.names import look_up
from algorithms.problems.base import Problem
from algorithms.problems.entry import ProblemEntry
from theory.members import declared

PROBLEMS: tuple[ProblemEntry, ...] = tuple(
    sorted(declared("algorithms.problems", "ENTRIES"), key=lambda entry: not entry.general)
)


def entry_called(name: str) -> ProblemEntry:
    """The problem of the catalogue called ``name``, or ``NAME@RULE``: its data dealt otherwise.

    Raises:
        UnknownName: there is none; suggests the nearest.
        ValueError: an unknown rule, or a problem that deals no data.
    """
    base, at, rule = name.partition("@")
    found = look_up("problem", base, {entry.name: entry for entry in PROBLEMS})
    return found.dealt_by(rule) if at else found


def problem(name: str, n: int) -> Problem:
    """The problem called ``name``, or ``NAME@RULE``, for n workers; see :func:`entry_called`.

    Problems never change, so the same one is given again: its data, constants and minimum are
    found once a process.

    Raises:
        UnknownName: there is none; suggests the nearest.
        ValueError: n does not fit the data, or the data are not dealt by such a rule.
    """
    return _built(name, n)


@lru_cache(maxsize=16)
def _built(name: str, n: int) -> Problem:
    return entry_called(name).build(n)
