"""PublishedFigure: what ``rateproof figure NAME`` runs, draws and prints."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Generic, NamedTuple, TypeVar, final

from matplotlib.figure import Figure
from rich.console import Console

from experiments.commands.console import console, dump, files_written
from experiments.figures.style import save, styled
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


Measured = TypeVar("Measured")


@final
@dataclass(frozen=True)
class PublishedFigure(Generic[Measured]):
    """A figure by ``name``; ``about`` is a sentence for the list of figures.

    Attributes:
        measure: runs the methods.
        picture: draws what was measured, in the style of all figures.
        data: the same as JSON, beside the name of the figure and its files.
        show: prints the same as tables.
        options: names of the fields of :class:`Request`, ``data`` and ``workers``, that it can be
            asked for.
    """

    name: str
    about: str
    measure: Callable[[Request], Measured]
    picture: Callable[[Measured], Figure]
    data: Callable[[Measured], dict[str, Any]]
    show: Callable[[Measured, Console], None]
    options: frozenset[str] = frozenset()

    def drawn(self, request: Request) -> None:
        """Run the methods, write the pictures, and print the numbers and the files.

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
        measured = self.measure(request)
        with styled():
            files = save(self.picture(measured), request.out, self.name.replace("-", "_"))
        if request.as_json:
            own = {"figure": self.name, **self.data(measured)}
            dump({**own, "files": [str(path) for path in files]})
        else:
            out = console(False)
            self.show(measured, out)
            files_written(out, files)


@cache
def published_figures() -> dict[str, PublishedFigure[Any]]:
    """Every figure of this room, by name."""
    return {one.name: one for one in members("experiments.published", PublishedFigure)}
