"""RowSubject: what stands for a surveyed row that is no optimisation method."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol, final


class NamedPart(Protocol):
    """Anything of the project that has a name: a collective, a schedule, a model of links."""

    @property
    def name(self) -> str:
        """Name in tables and verdicts."""


@final
@dataclass(frozen=True)
class RowSubject:
    """A row of the system beneath the methods: how numbers travel, when, over which links.

    It takes no step on a problem, so it has no recipe; ``rateproof check ROW`` checks each part.

    Attributes:
        kind: what it is, in words that follow "a": "collective", "schedule", "link model".
        parts: the objects of the project that the row stands for, each checked by its name.
        states: what theory says of them, a sentence or formula each, with its source.

    Raises:
        ValueError: no part, two parts of one name, or nothing is stated.
    """

    kind: str
    parts: tuple[NamedPart, ...]
    states: tuple[str, ...]

    def __post_init__(self) -> None:
        names = [part.name for part in self.parts]
        if not names or len(set(names)) != len(names):
            raise ValueError(f"parts must be at least one, each of its own name, got parts={names}")
        if not self.states:
            raise ValueError("states must hold what theory says of the row, got states=()")
