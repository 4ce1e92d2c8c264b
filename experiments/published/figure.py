"""PublishedFigure: what ``rateproof figure NAME`` runs, draws, compares and prints."""

from __future__ import annotations

import csv
import io
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from enum import Enum
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple, final

from experiments.figures.reproduced_figure import reproduced_figure
from experiments.figures.reproduction import Reproduction
from experiments.figures.style import save, styled
from experiments.storage.files import write_atomically
from theory.claims import Source
from theory.members import members


class Request(NamedTuple):
    """Request: a folder of ``data``, numbers of ``workers``, the target ``out``, and the format.

    Without ``data`` and ``workers`` the figure takes its own. ``as_json``: pure JSON is printed
    instead of a table.
    """

    out: Path
    data: Path | None = None
    workers: tuple[int, ...] = ()
    as_json: bool = False


class CostClass(Enum):
    """Cost of a figure on one core: under 10 s, under 2 minutes, or more."""

    QUICK = "quick"
    NORMAL = "normal"
    SLOW = "slow"


@final
@dataclass(frozen=True)
class PublishedFigure:
    """A published figure or table; its file is named as it is, by paper and figure.

    Attributes:
        name: the file's name, with hyphens.
        title: what it shows, one sentence.
        source: paper, and figure or table number.
        criterion: what must hold, as in "reproduced when ...".
        measure: runs the methods and sets published numbers beside ours.
        cost: what that costs.
        alias: a short name, or none.
        options: names of the fields of :class:`Request`, ``data`` and ``workers``, that it can be
            asked for.
    """

    name: str
    title: str
    source: Source
    criterion: str
    measure: Callable[[Request], Reproduction]
    cost: CostClass = CostClass.QUICK
    alias: str = ""
    options: frozenset[str] = frozenset()

    def drawn(self, request: Request) -> Drawn:
        """Run the methods and write PNG, SVG and the data as CSV.

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
        started = time.perf_counter()
        found = self.measure(request)
        seconds = time.perf_counter() - started
        stem = self.name.replace("-", "_")
        drawing = found.drawing(self.title)
        with styled():
            pictures = save(reproduced_figure(drawing), request.out, stem)
        tables = (
            (f"{stem}.csv", drawing.points()),
            (f"{stem}_numbers.csv", (number.record() for number in found.numbers)),
        )
        for name, rows in tables:
            write_atomically(request.out / name, _csv(rows))
        data = (request.out / name for name, _ in tables)
        return Drawn(self, found, seconds, (*pictures, *data))

    def record(self) -> dict[str, Any]:
        """Record of it in ``--list --json``."""
        return {
            "name": self.name, "alias": self.alias, "title": self.title,
            "source": str(self.source), "criterion": self.criterion, "cost": self.cost.value,
            "options": sorted(self.options),
        }  # fmt: skip


class Drawn(NamedTuple):
    """A figure that was made again.

    Attributes:
        figure: which.
        found: its numbers and verdict.
        seconds: how long the methods ran [s].
        files: what was written.
    """

    figure: PublishedFigure
    found: Reproduction
    seconds: float
    files: tuple[Path, ...]

    def record(self) -> dict[str, Any]:
        """The same as plain data, for JSON."""
        return {
            "figure": self.figure.name, **self.figure.record(), **self.found.details,
            "verdict": self.found.verdict, "reproduced": self.found.reproduced,
            "standing": self.found.standing,
            "seconds": self.seconds, "numbers": [n.record() for n in self.found.numbers],
            "notes": list(self.found.notes), "files": [str(path) for path in self.files],
        }  # fmt: skip


def _csv(rows: Iterable[dict[str, Any]]) -> bytes:
    """A table with a head line; cells that a row does not have stay empty."""
    kept = list(rows)
    names = dict.fromkeys(name for row in kept for name in row)
    text = io.StringIO()
    writer = csv.DictWriter(text, names, lineterminator="\n")
    writer.writeheader()
    writer.writerows(kept)
    return text.getvalue().encode()


@cache
def published_figures() -> dict[str, PublishedFigure]:
    """Every figure of this room, by name."""
    return {one.name: one for one in members("experiments.published", PublishedFigure)}


def by_any_name() -> dict[str, PublishedFigure]:
    """Every figure by its name and by its short one."""
    named = published_figures()
    return {**named, **{one.alias: one for one in named.values() if one.alias}}
