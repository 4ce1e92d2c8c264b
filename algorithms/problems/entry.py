"""ProblemEntry: a problem that the catalogue knows by name."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import final

from algorithms.problems.base import Problem
from algorithms.problems.partitions import Partition, partition_called


@final
@dataclass(frozen=True)
class ProblemEntry:
    """A problem by name: ``build(n)`` makes it for n workers; ``title`` says in a line what it is.

    ``general`` problems mean something to any method; others are made for a few.
    ``least_workers`` is 2 where one worker has no problem. Where data are dealt to workers,
    ``dealt(n, partition)`` deals them by a rule of one's own.
    """

    name: str
    title: str
    build: Callable[[int], Problem]
    general: bool = True
    least_workers: int = 1
    dealt: Callable[[int, Partition], Problem] | None = None

    def dealt_by(self, rule: str) -> ProblemEntry:
        """The same data dealt by another rule: ``iid``, ``sorted`` or ``dirichlet=ALPHA``.

        How heterogeneous its workers are, at the turn of a dial; it is called ``NAME@RULE``.

        Raises:
            ValueError: an unknown rule, or a problem that deals no data.
        """
        dealt, partition = self.dealt, partition_called(rule)
        if dealt is None:
            raise ValueError(
                f"problem {self.name!r} deals no data to workers, so it has no @{rule}; problems "
                "of breast-cancer or digits have"
            )
        name = f"{self.name}@{rule}"
        title = f"{self.title}; shards here: {partition.name}"
        return replace(
            self, name=name, title=title, general=False,
            build=lambda n: _named(dealt(n, partition), name),
        )  # fmt: skip


def _named(problem: Problem, name: str) -> Problem:
    """The problem under another name; members are frozen dataclasses with a ``name``."""
    return replace(problem, name=name)  # type: ignore[type-var]
