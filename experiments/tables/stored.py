"""Results of a survey's folder for a table: read from its store, computed where they lack."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from rich.console import Console

from experiments.closure.versions import cell_versions
from experiments.storage.folders import cells_folder
from experiments.storage.store import CorruptResult, Store, move_earlier
from experiments.survey import run_survey, stopping
from proofs_check.cell import Cell, CellResult
from proofs_check.prepare import prepare, run_cell


def stored_results(
    cells: Sequence[Cell], report: Path, screen: Console, todo: Sequence[Cell] = ()
) -> dict[Cell, CellResult]:
    """Results in the folder ``report`` of these cells under the present code.

    Those of ``todo`` that it lacks are computed first and kept there, with progress on ``screen``.

    Raises:
        SurveyInterrupted: a signal came; what was finished is kept.
    """
    move_earlier(report)
    store = Store(cells_folder(report), cell_versions(cells, prepare))
    if todo:
        with stopping():
            done = run_survey(todo, run_cell, store, screen)
        for failure in done.failures:
            screen.print(f"error: {failure.cell.check}: {failure.error}", style="red", markup=False)
    found: dict[Cell, CellResult] = {}
    for cell in cells:
        try:
            stored = store.load(cell)
        except CorruptResult as error:
            screen.print(f"warning: {error}", style="yellow", markup=False, soft_wrap=True)
            continue
        if stored is not None:
            found[cell] = stored.result
    return found
