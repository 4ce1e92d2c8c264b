"""PublishedFigure: what ``rateproof figure NAME`` runs, draws and prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import NamedTuple, final

from theory.members import members


class Request(NamedTuple):
    """What is asked for: a folder of ``data``, numbers of ``workers``, where to (``out``), and how.

    Without ``data`` and ``workers`` the figure takes its own. ``as_json``: pure JSON is printed
    instead of a table.
    """

    out: Path
    data: Path | None = None
    workers: tuple[int, ...] = ()
    as_json: bool = False


@final
@dataclass(frozen=True)
class PublishedFigure:
    """A figure by ``name``; ``about`` is a sentence for the list of figures.

    ``draw`` runs the methods, prints the numbers and writes the pictures; ``options`` names the
    fields of :class:`Request`, ``data`` and ``workers``, that it can be asked for.
    """

    name: str
    about: str
    draw: Callable[[Request], None]
    options: frozenset[str] = frozenset()

    def drawn(self, request: Request) -> None:
        """Draw it.

        Raises:
            ValueError: the request has an option that the figure does not take, or one that does
                not suit it.
        """
        for option in ("data", "workers"):
            given = getattr(request, option)
            if given and option not in self.options:
                raise ValueError(
                    f"{option} must be left out for figure {self.name}, got {option}={given}; "
                    "it takes none"
                )
        self.draw(request)


@cache
def published_figures() -> dict[str, PublishedFigure]:
    """Every figure of this room, by name."""
    return {one.name: one for one in members("experiments.published", PublishedFigure)}
