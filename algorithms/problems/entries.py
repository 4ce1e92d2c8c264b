"""The problems of the catalogue, by name: what the files of this room declare in ``ENTRIES``."""

from __future__ import annotations

from functools import lru_cache

from algorithms.names import look_up
from algorithms.problems.base import Problem
from algorithms.problems.entry import ProblemEntry
from theory.members import declared

PROBLEMS: tuple[ProblemEntry, ...] = tuple(
    sorted(declared("algorithms.problems", "ENTRIES"), key=lambda entry: not entry.general)
)


def problem(name: str, n: int) -> Problem:
    """The problem called ``name`` for n workers.

    Problems never change, so the same one is given again: its data, constants and minimum are
    found once a process.

    Raises:
        UnknownName: there is none; suggests the nearest.
        ValueError: n does not fit the data.
    """
    return _built(name, n)


@lru_cache(maxsize=16)
def _built(name: str, n: int) -> Problem:
    return look_up("problem", name, {entry.name: entry for entry in PROBLEMS}).build(n)
