"""The report's figures: drawn side by side in two processes if many, kept as WebP and as data.

Of the data the page draws the figure again where somebody looks closer, and makes CSV and SVG: kept
for each of a survey's figures, SVG took 82 MB. The data of all pictures of a row lie in one file.

A picture holds a hash of what it shows and of the code that drew it: a figure whose curves did not
change is not drawn again.
"""

from __future__ import annotations

import hashlib
import math
import time
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache, partial
from pathlib import Path
from typing import final

from matplotlib.figure import Figure
from PIL import Image

from experiments.closure.graph import FLOORS, DefinitionGraph
from experiments.closure.versions import ROOT, contents_of
from experiments.figures.lines import LineCurves
from experiments.figures.lines_figure import lines_figure
from experiments.figures.panels import RunCurves, three_panels
from experiments.figures.rate import RateCurves, rate_figure
from experiments.figures.signs import plain
from experiments.figures.style import note_of, styled, webp
from experiments.figures.timeline import timeline_figure
from experiments.figures.tradeoff import TradeoffCurves, tradeoff_figure
from experiments.figures.workers import WorkerCurves, workers_figure
from experiments.processes.executors import pool_of
from experiments.processes.pool import Ended
from experiments.reporting.charts import Curves, as_text
from experiments.reporting.packing import script
from experiments.storage.files import write_atomically
from proofs_check.gantt import LanePanel

_FEW = 6  # figures that are drawn before another process has imported what draws them
FIGURES = "figures"
"""The folder of a report that they lie in."""

CHARTS = "charts"
"""The folder of a report that their data lie in, one file for all pictures of a row."""

_HALF = 640  # pixels: the widest picture that stands beside another on a page
_DPI = 90  # as wide as pages show them; what is drawn again is sharper still


@final
@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure to be made for a row; ``stem`` is its file name without ending.

    Attributes:
        caption: the sentence below the figure.
        curves: what is drawn.
        effect: whether it shows a row's effect beside its baseline.
    """

    row: str
    stem: str
    caption: str
    curves: Curves
    effect: bool = False

    @property
    def run(self) -> bool:
        """Whether it shows a run, or runs of all rows; else a rate, an effect, a trade-off."""
        many = isinstance(self.curves, WorkerCurves) and len(self.curves.panels) > 1
        return many or isinstance(self.curves, RunCurves | LanePanel)


@final
@dataclass(frozen=True)
class Picture:
    """A figure as the page shows it.

    Attributes:
        row: key of the row that it is shown with.
        stem: file name without ending.
        caption: the sentence below it.
        alt: text for those who do not see it.
        width: of the picture [pixels].
        height: of the picture [pixels].
        half: whether it takes half the width of the page.
        run: whether it shows a run.
        effect: whether it shows a row's effect beside its baseline.
        chart: what it shows, as JSON.
    """

    row: str
    stem: str
    caption: str
    alt: str
    width: int
    height: int
    half: bool
    run: bool = False
    effect: bool = False
    chart: str = field(default="{}", repr=False)

    @property
    def charts(self) -> str:
        """Name without ending of the file that holds its chart."""
        return self.row.replace(":", "--")


def draw(folder: Path, drawing: Drawing) -> None:
    """Make one figure and write its picture, unless it is there.

    Raises:
        ValueError: it cannot be drawn, or its data hold a number that JSON cannot hold.
    """
    key = _key(drawing)
    if not _there(drawing, key, folder):
        as_text(drawing.curves)  # what has no chart has no picture
        with styled():
            drawn = webp(_figure(drawing.curves), _DPI, key)
        write_atomically(folder / f"{drawing.stem}.webp", drawn)


def write_charts(out: Path, pictures: Sequence[Picture]) -> None:
    """Write the data of pictures to a report's folder, a file for each row that has any; files that
    are the same are left."""
    folder = out / CHARTS
    held: dict[str, dict[str, str]] = defaultdict(dict)
    for one in pictures:
        held[one.charts][one.stem] = one.chart
    for name, charts in held.items():
        folder.mkdir(parents=True, exist_ok=True)
        text = ",".join(f'"{stem}":{chart}' for stem, chart in charts.items())
        path, content = folder / f"{name}.js", script("chart", f"{{{text}}}", name)
        if not path.exists() or path.read_bytes() != content:
            write_atomically(path, content)


def pictures(
    drawings: Sequence[Drawing], folder: Path, workers: int = 2
) -> tuple[tuple[Picture, ...], tuple[str, ...]]:
    """Draw into ``folder`` what is not there yet; all that is there then, and a sentence for each
    figure that could not be drawn. A few are drawn in this process, more in ``workers`` others.
    """
    folder.mkdir(parents=True, exist_ok=True)
    todo = _undrawn(drawings, folder)
    few = len(todo) <= _FEW
    errors = _drawn_here(todo, folder) if few else _drawn_beside(todo, folder, workers)
    faults = {one: f"no figure {one.stem}: {error}" for one, error in errors.items() if error}
    shown = tuple(_picture(drawing, folder) for drawing in drawings if drawing not in faults)
    return shown, tuple(faults.values())


def _drawn_here(
    todo: Sequence[Drawing], folder: Path, seconds: float = math.inf
) -> dict[Drawing, str]:
    """Draw in this process for about so many seconds; what each failed of, empty if of nothing."""
    errors: dict[Drawing, str] = {}
    end = time.monotonic() + seconds
    for drawing in todo:
        if time.monotonic() > end:
            break
        errors[drawing] = ""
        try:
            draw(folder, drawing)
        except Exception as error:
            errors[drawing] = f"{type(error).__name__}: {error}"
    return errors


def _drawn_beside(todo: Sequence[Drawing], folder: Path, workers: int) -> dict[Drawing, str]:
    """The same in ``workers`` processes."""
    with pool_of("", partial(draw, folder), workers) as pool:
        ended = (event for event in pool.run(todo) if isinstance(event, Ended))
        return {event.task: event.error for event in ended}


def draw_some(drawings: Sequence[Drawing], folder: Path, seconds: float) -> tuple[Picture, ...]:
    """Draw in this process for about so many seconds; all that is there then."""
    folder.mkdir(parents=True, exist_ok=True)
    todo = _undrawn(drawings, folder)
    errors = _drawn_here(todo, folder, seconds)  # told at the end, when all are drawn
    missing = {drawing for drawing in todo if errors.get(drawing) != ""}
    return tuple(_picture(drawing, folder) for drawing in drawings if drawing not in missing)


def _key(drawing: Drawing) -> str:
    """A hash of what is drawn and of the code that draws it."""
    graph, code = _drawn_by()
    text = contents_of(drawing.curves, graph).text
    return hashlib.sha256(code + text.encode()).hexdigest()[:16]


@lru_cache(maxsize=1)
def _drawn_by() -> tuple[DefinitionGraph, bytes]:
    """The sources as they are when this process first asks, and a hash of those that draw."""
    graph = DefinitionGraph.from_folder(ROOT, (*FLOORS, "experiments"))
    roots = {(__name__, draw.__name__)}
    return graph, b"".join(graph.digests(roots)[root] for root in roots)


def _undrawn(drawings: Sequence[Drawing], folder: Path) -> tuple[Drawing, ...]:
    """Those whose files are missing, or were drawn of other curves or by other code."""
    return tuple(one for one in drawings if not _there(one, _key(one), folder))


def _there(drawing: Drawing, key: str, folder: Path) -> bool:
    return note_of(folder / f"{drawing.stem}.webp") == key


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
        case LanePanel():
            return timeline_figure(curves)


def _picture(drawing: Drawing, folder: Path) -> Picture:
    (folder / f"{drawing.stem}.js").unlink(missing_ok=True)  # an earlier version's
    with Image.open(folder / f"{drawing.stem}.webp") as image:
        width, height = image.size
    return Picture(
        row=drawing.row,
        stem=drawing.stem,
        caption=drawing.caption,
        alt=plain(drawing.curves.title),
        width=width,
        height=height,
        half=width <= _HALF,
        run=drawing.run,
        effect=drawing.effect,
        chart=as_text(drawing.curves),
    )
