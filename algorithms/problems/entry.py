"""ProblemEntry: a problem that the catalogue knows by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from algorithms.problems.base import Problem


@final
@dataclass(frozen=True)
class ProblemEntry:
    """A problem by name: ``build(n)`` makes it for n workers; ``title`` says in a line what it is.

    ``general`` problems mean something to any method; others are made for a few.
    ``least_workers`` is 2 where one worker has no problem.
    """

    name: str
    title: str
    build: Callable[[int], Problem]
    general: bool = True
    least_workers: int = 1
