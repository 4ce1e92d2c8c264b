"""The report while the survey runs: a process beside the workers writes it again and again."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import final

from experiments.processes.executors import pool_of
from experiments.processes.pool import Ended
from experiments.reporting.drawings import drawings
from experiments.reporting.page import row_page, write_pages
from experiments.reporting.pictures import draw_some
from experiments.storage.store import CorruptResult, Store, Stored
from experiments.survey import Survey
from proofs_check.cell import Cell

EVERY = 60.0
"""Seconds to the first writing of the early report; to each later one twice as long: what is new is
an ever smaller part."""

_DRAWING = 20.0  # seconds that each writing may draw


@final
class EarlyReport:
    """Calls ``write(number)``, a picklable function, in a process of its own, now and then.

    Its failures cost nothing but this report; ``faults`` tells them.
    """

    def __init__(self, write: Callable[[int], None], every: float = EVERY) -> None:
        self.faults: list[str] = []
        self._pool = pool_of("", write, 1)
        self._every = every
        self._due = time.monotonic() + every
        self._number = 0
        self._events = self._pool.run([])

    def __enter__(self) -> EarlyReport:
        return self

    def __exit__(self, *error: object) -> None:
        self._pool.__exit__(*error)

    def tick(self) -> None:
        """Begin to write where it is time; never waits."""
        for event in self._events:
            if isinstance(event, Ended):
                self._due = time.monotonic() + self._every * 2**self._number
                if event.error:
                    self.faults.append(event.error)
            return
        if time.monotonic() >= self._due:
            self._number += 1
            self._events = self._pool.run([self._number], heartbeat=0.0)


def write_early(cells: Sequence[Cell], store: Store, preset: str, out: Path, _: int) -> None:
    """Index and pages of what is stored so far; only pages of rows that have something new.

    Figures that set rows beside each other change with every cell: they are left to the end.
    """
    survey = _so_far(cells, store)
    shown = draw_some(drawings(survey)[0], out / "figures", _DRAWING)
    changed: dict[str, float] = {}
    for cell, _stored in survey.finished:
        since = store.path(cell).stat().st_mtime
        changed[cell.row] = max(changed.get(cell.row, 0.0), since)
    for picture in shown:
        since = (out / "figures" / f"{picture.stem}.webp").stat().st_mtime
        changed[picture.row] = max(changed.get(picture.row, 0.0), since)
    write_pages(survey, preset, shown, out, {k for k, t in changed.items() if _older(out, k, t)})


def _so_far(cells: Sequence[Cell], store: Store) -> Survey:
    found: list[tuple[Cell, Stored]] = []
    for cell in cells:
        try:
            stored = store.load(cell)
        except CorruptResult:
            continue  # the survey itself warns of it
        if stored:
            found.append((cell, stored))
    return Survey(tuple(found), (), 0, 0.0, store.versions, len(cells) - len(found))


def _older(out: Path, key: str, since: float) -> bool:
    page = out / row_page(key)
    return not page.exists() or page.stat().st_mtime < since
