"""Figures of a survey: its runs against steps, bits and seconds; its rates."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from experiments.compare.single import run_curves
from experiments.figures.lines import DrawnLine, LineCurves
from experiments.figures.rate import RateCurves
from experiments.figures.signs import pretty
from experiments.processes.progress import title
from experiments.reporting.charts import Curves
from experiments.reporting.pictures import Drawing, draw
from experiments.storage.store import Stored
from experiments.survey import Survey
from proofs_check.cell import Cell, CellKind
from proofs_check.curves import LinePanel, RatePanel, RunSeries
from proofs_check.gantt import LanePanel
from proofs_check.methods.tuned_run import VACUOUS


def drawings(survey: Survey) -> tuple[tuple[Drawing, ...], tuple[str, ...]]:
    """One figure for each run, study or bound check that left curves, and what went wrong."""
    found: list[Drawing] = []
    faults: list[str] = []
    for cell, stored in survey.finished:
        try:
            found += _drawings(cell, stored)
        except Exception as error:  # one figure must not cost the report
            faults.append(f"no figure of {title(cell)}: {type(error).__name__}: {error}")
    return tuple(found), tuple(faults)


def draw_cell(folder: Path, cell: Cell, stored: Stored) -> None:
    """Draw the figures of one cell that are not there yet. What cannot be drawn is left: whoever
    asks for all figures is told of it."""
    with suppress(Exception):
        for drawing in _drawings(cell, stored):
            draw(folder, drawing)


def _drawings(cell: Cell, stored: Stored) -> Iterator[Drawing]:
    stem = stem_of(cell)
    for one in stored.result.curves:
        match one:
            case RunSeries():
                yield Drawing(cell.row, stem, _run_caption(cell, one), _run(cell, one))
            case RatePanel():
                own = _file_name(f"{stem} {one.rate.along}")
                yield _panel(cell, own, one, rate_curves(one))
            case LinePanel():
                yield _panel(cell, stem, one, line_curves(one))
            case LanePanel():
                yield Drawing(cell.row, stem, f"{one.title}.", one)


def stem_of(cell: Cell) -> str:
    """The name of a cell's figure."""
    words = cell.check if cell.kind is CellKind.BOUND else f"{cell.row} {cell.problem} {cell.check}"
    return _file_name(words)


def _file_name(words: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", words.lower()).strip("-")


def _panel(cell: Cell, stem: str, panel: RatePanel | LinePanel, curves: Curves) -> Drawing:
    where = f", on {cell.problem}" if cell.problem else ""
    effect = cell.kind is CellKind.EFFECT
    title = f"{cell.row} beside what it improves on" if effect else panel.title
    caption = pretty(f"{title[:1].upper()}{title[1:]}{where}.")
    return Drawing(cell.row, stem, caption, curves, effect)


def _run(cell: Cell, series: RunSeries) -> Curves:
    description = f", n = {cell.n}, {cell.replicas} replicas" if cell.replicas else ", bound check"
    return run_curves(series, f"{cell.row} on {cell.problem}{description}")


def _run_caption(cell: Cell, series: RunSeries) -> str:
    theorem = series.theorem
    description = (
        f"{theorem.title} ({theorem.source})" if theorem else "no bound applies, see the table"
    )
    if theorem and series.vacuous:
        description += f"; {VACUOUS}"
    if series.tuning:
        description += f". Stepsize: {series.tuning}"
    if series.beside:
        description += f"; beside it, {series.beside.tuning}"
    seeds = ", ".join(str(seed) for seed in cell.seeds)
    run = f" {cell.steps} steps, seed {seeds}." if cell.replicas else ""
    return f"{cell.problem}: {description}.{run}"


def line_curves(panel: LinePanel) -> LineCurves:
    """Lines for their figure, with signs for readers."""
    drawn = [
        (one.theory, DrawnLine(pretty(one.name), one.x, one.y, one.low, one.high))
        for one in panel.lines
    ]
    return LineCurves(
        pretty(panel.title),
        pretty(panel.x_label),
        pretty(panel.y_label),
        tuple(line for theory, line in drawn if not theory),
        panel.scales,
        tuple(line for theory, line in drawn if theory),
        panel.readings,
    )


def rate_curves(panel: RatePanel) -> RateCurves:
    """A rate for its figure, with signs for readers."""
    rate = panel.rate
    return RateCurves(
        title=pretty(panel.title),
        x_label=pretty(panel.x_label),
        y_label=pretty(panel.y_label),
        x=rate.x,
        mean=rate.mean,
        low=rate.low,
        high=rate.high,
        fit=rate.fit,
        reference=rate.reference,
        groups=tuple((group.name, rate.x, group.y) for group in rate.groups),
    )
