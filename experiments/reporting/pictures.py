"""The report's figures: drawn side by side in two processes, kept as PNG and SVG."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import final

from matplotlib.figure import Figure

from experiments.figures.lines import LineCurves, lines_figure
from experiments.figures.panels import RunCurves, three_panels
from experiments.figures.rate import RateCurves, rate_figure
from experiments.figures.style import save, styled
from experiments.figures.tradeoff import TradeoffCurves, tradeoff_figure
from experiments.figures.workers import WorkerCurves, workers_figure
from experiments.pool import Ended, Pool

Curves = RunCurves | RateCurves | TradeoffCurves | WorkerCurves | LineCurves


@final
@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure to be made for a row; ``stem`` is its file name without ending.

    Attributes:
        caption: the sentence below the figure.
        curves: what is drawn.
        caption: the sentence below the figure.
        curves: what is drawn.
    """

    row: str
    stem: str
    caption: str
    curves: Curves

    @property
    def half(self) -> bool:
        """Whether it is a single panel."""
        return not isinstance(self.curves, RunCurves)


@final
@dataclass(frozen=True)
class Picture:
    """A figure as the page shows it: ``source`` is a data URI.

    Attributes:
        row: key of the row that it is shown with.
        stem: file name without ending.
        caption: the sentence below it.
        alt: text for those who do not see it.
        half: whether it takes half the width of the page.
        row: key of the row that it is shown with.
        stem: file name without ending.
        caption: the sentence below it.
        alt: text for those who do not see it.
        half: whether it takes half the width of the page.
    """

    row: str
    stem: str
    caption: str
    alt: str
    source: str
    half: bool


def draw(folder: Path, drawing: Drawing) -> None:
    """Make one figure and write its two files."""
    with styled():
        save(_figure(drawing.curves), folder, drawing.stem)


def pictures(
    drawings: Sequence[Drawing], folder: Path, workers: int = 2
) -> tuple[tuple[Picture, ...], tuple[str, ...]]:
    """Draw all into ``folder``; what was drawn, and a sentence for each that could not be."""
    folder.mkdir(parents=True, exist_ok=True)
    faults: dict[Drawing, str] = {}
    with Pool[Drawing](partial(draw, folder), workers) as pool:
        for event in pool.run(drawings):
            if isinstance(event, Ended) and event.error:
                faults[event.task] = f"no figure {event.task.stem}: {event.error}"
    drawn = tuple(_picture(drawing, folder) for drawing in drawings if drawing not in faults)
    return drawn, tuple(faults.values())


def _figure(curves: Curves) -> Figure:
    match curves:
        case RunCurves():
            return three_panels(curves)
        case RateCurves():
            return rate_figure(curves)
        case TradeoffCurves():
            return tradeoff_figure(curves)
        case WorkerCurves():
            return workers_figure(curves)
        case LineCurves():
            return lines_figure(curves)


def _picture(drawing: Drawing, folder: Path) -> Picture:
    content = base64.b64encode((folder / f"{drawing.stem}.png").read_bytes()).decode()
    return Picture(
        row=drawing.row,
        stem=drawing.stem,
        caption=drawing.caption,
        alt=drawing.curves.title,
        source=f"data:image/png;base64,{content}",
        half=drawing.half,
    )
