"""The main job: survey, table, report; what a shell sees of it."""

from __future__ import annotations

import errno
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path

import pandas as pd
from rich.console import Console

from experiments.processes.pool import ExecutorLost
from experiments.processes.progress import duration
from experiments.reporting.comparisons import comparisons
from experiments.reporting.drawings import draw_cell, drawings
from experiments.reporting.early import EarlyReport, write_early
from experiments.reporting.page import write_pages
from experiments.reporting.pictures import Picture, pictures
from experiments.reporting.table import ERROR, headline, results_table, write_table
from experiments.storage.folders import cells_folder
from experiments.storage.store import Store, move_earlier
from experiments.survey import WORKERS, Survey, SurveyInterrupted, run_survey, stopping
from proofs_check.cell import Cell, CellResult
from proofs_check.verdict import CheckKind, Outcome


def survey_job(
    preset: str,
    cells: Sequence[Cell],
    run_cell: Callable[[Cell], CellResult],
    out: Path,
    console: Console,
    versions: Mapping[Cell, str],
    executor: str = "",
    workers: int = WORKERS,
) -> int:
    """Run the survey into ``out`` and say how it went; returns the exit code.

    ``versions`` says of each cell which version of what it depends on is the present one;
    ``executor`` and ``workers`` as of :func:`experiments.survey.run_survey`.

    0 everything ran and nothing was refuted; 1 a cell failed or a claim was refuted (the report is
    written all the same); 130, 143 or 129
    interrupted by SIGINT, SIGTERM or SIGHUP (what was finished is kept).
    """
    move_earlier(out)
    store = Store(cells_folder(out), versions)
    try:
        with stopping():
            with EarlyReport(partial(write_early, cells, store, preset, out)) as early:
                then = partial(draw_cell, (out / "figures").resolve())
                survey = run_survey(
                    cells, run_cell, store, console, workers, early.tick, then, executor
                )
            for fault in early.faults:
                console.print(f"warning: no early report: {fault}", style="yellow", markup=False)
            table = results_table(survey)
            write_table(table, out / "results.parquet")
            shown, faults = _draw(survey, out, console)
            write_pages(survey, preset, shown, out)
    except OSError as error:
        if error.errno not in (errno.ENOSPC, errno.EDQUOT):
            raise
        console.print(
            f"error: the report cannot be written to {out} ({error.strerror}); finished cells are "
            "kept, and the same command goes on from there",
            style="red", markup=False, soft_wrap=True,
        )  # fmt: skip
        return 1
    except ExecutorLost as error:
        console.print(f"error: {error}", style="red", markup=False, soft_wrap=True)
        return 1
    except SurveyInterrupted as stop:
        kept = sum(store.path(cell).exists() for cell in cells)
        console.print(
            f"interrupted by {stop}: {kept} of {len(cells)} cells are kept in {store.folder}; "
            "the same command goes on from there",
            highlight=False,
            soft_wrap=True,
        )
        return stop.exit_code
    refuted = _summarise(survey, headline(table), out, console)
    return 1 if survey.failures or refuted or faults else 0


def _draw(
    survey: Survey, out: Path, console: Console
) -> tuple[tuple[Picture, ...], tuple[str, ...]]:
    """Draw the figures; those that cannot be drawn are named and do not cost the report."""
    own, unknown = drawings(survey)
    todo = (*own, *comparisons(survey))
    console.print(f"drawing {len(todo)} figures", highlight=False)
    shown, undrawn = pictures(todo, out / "figures")
    for fault in (*unknown, *undrawn):
        console.print(f"error: {fault}", style="red", markup=False, highlight=False, soft_wrap=True)
    return shown, (*unknown, *undrawn)


def _summarise(survey: Survey, table: pd.DataFrame, out: Path, console: Console) -> int:
    """Say how it went; returns how many claims were refuted."""
    verdicts = [verdict for _, stored in survey.finished for verdict in stored.result.verdicts]
    counts = Counter(table["verdict"])
    counts.pop(ERROR, None)
    words = ", ".join(f"{count} {outcome}" for outcome, count in counts.most_common())
    console.print(
        f"{len(survey.finished)} cells in {duration(survey.seconds)} "
        f"(reused {survey.reused}); {counts.total()} verdicts: {words or 'none'}",
        highlight=False,
        soft_wrap=True,
    )
    mutants = [verdict for verdict in verdicts if verdict.kind is CheckKind.MUTANT]
    seen = sum(verdict.outcome is Outcome.CAUGHT for verdict in mutants)
    if mutants:
        console.print(f"mutants refuted: {seen} of {len(mutants)}", highlight=False)
    for verdict in verdicts:
        if verdict.outcome is Outcome.REFUTED:
            console.print(
                f"refuted: {verdict.subject} {verdict.problem}: {verdict.claim} "
                f"({verdict.check}: {verdict.evidence})",
                style="red",
                markup=False,
                highlight=False,
                soft_wrap=True,
            )
    for failure in survey.failures:
        trace = Store(cells_folder(out), survey.versions).trace(failure.cell)
        console.print(
            f"error: {failure.cell.row} {failure.cell.problem} {failure.cell.check}: "
            f"{failure.error} (whole story in {trace})",
            style="red",
            markup=False,
            highlight=False,
            soft_wrap=True,
        )
    console.print(f"report: {out / 'index.html'}", highlight=False, soft_wrap=True)
    console.print(f"table:  {out / 'results.parquet'}", highlight=False, soft_wrap=True)
    return counts[Outcome.REFUTED.value]
