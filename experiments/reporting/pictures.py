"""The report's figures: drawn side by side in two processes if many, kept as PNG and SVG.

A figure whose curves did not change is not drawn again.
"""

from __future__ import annotations

import base64
import hashlib
import json
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from pathlib import Path
from typing import final

from matplotlib.figure import Figure

from experiments.closure.graph import FLOORS, DefinitionGraph
from experiments.closure.versions import ROOT, contents_of
from experiments.figures.lines import LineCurves, lines_figure
from experiments.figures.panels import RunCurves, three_panels
from experiments.figures.rate import RateCurves, rate_figure
from experiments.figures.style import save, styled
from experiments.figures.timeline import timeline_figure
from experiments.figures.tradeoff import TradeoffCurves, tradeoff_figure
from experiments.figures.workers import WorkerCurves, workers_figure
from experiments.files import write_atomically
from experiments.pool import Ended, Pool
from proofs_check.lanes import LanePanel

_FEW = 6  # figures that are drawn before another process has imported what draws them
_DRAWN = "drawn.json"  # by stem, the key of what the files show
Curves = RunCurves | RateCurves | TradeoffCurves | WorkerCurves | LineCurves | LanePanel


@final
@dataclass(frozen=True, eq=False)
class Drawing:
    """A figure to be made for a row; ``stem`` is its file name without ending.

    Attributes:
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
        return not isinstance(self.curves, RunCurves | LanePanel)


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
    """Draw into ``folder`` what is not there yet; all that is there then, and a sentence for each
    figure that could not be drawn. A few are drawn in this process, more in ``workers`` others.
    """
    folder.mkdir(parents=True, exist_ok=True)
    keys = _keys(drawings)
    todo = _undrawn(drawings, keys, folder)
    few = len(todo) <= _FEW
    errors = _drawn_here(todo, folder) if few else _drawn_beside(todo, folder, workers)
    _remember(folder, {one.stem: keys[one.stem] for one in todo if not errors.get(one)})
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
    with Pool[Drawing](partial(draw, folder), workers) as pool:
        ended = (event for event in pool.run(todo) if isinstance(event, Ended))
        return {event.task: event.error for event in ended}


def draw_some(drawings: Sequence[Drawing], folder: Path, seconds: float) -> tuple[Picture, ...]:
    """Draw in this process for about so many seconds; all that is there then."""
    folder.mkdir(parents=True, exist_ok=True)
    keys = _keys(drawings)
    todo = _undrawn(drawings, keys, folder)
    missing = {drawing.stem for drawing in todo}
    errors = _drawn_here(todo, folder, seconds)  # told at the end, when all are drawn
    drawn = {one.stem: keys[one.stem] for one, error in errors.items() if not error}
    _remember(folder, drawn)
    there = [d for d in drawings if d.stem not in missing or d.stem in drawn]
    return tuple(_picture(drawing, folder) for drawing in there)


def _keys(drawings: Sequence[Drawing]) -> dict[str, str]:
    """By stem, a hash of what is drawn and of the code that draws it."""
    graph, code = _drawn_by()
    keys: dict[str, str] = {}
    for drawing in drawings:
        text = contents_of(drawing.curves, graph).text
        keys[drawing.stem] = hashlib.sha256(code + text.encode()).hexdigest()[:32]
    return keys


@lru_cache(maxsize=1)
def _drawn_by() -> tuple[DefinitionGraph, bytes]:
    """The sources as they are when this process first asks, and a hash of those that draw."""
    graph = DefinitionGraph.of(ROOT, (*FLOORS, "experiments"))
    roots = {(__name__, draw.__name__)}
    return graph, b"".join(graph.digests(roots)[root] for root in roots)


def _undrawn(
    drawings: Sequence[Drawing], keys: Mapping[str, str], folder: Path
) -> tuple[Drawing, ...]:
    """Those whose files are missing, or were drawn of other curves or by other code."""
    known = _known(folder)
    return tuple(
        drawing
        for drawing in drawings
        if known.get(drawing.stem) != keys[drawing.stem]
        or not all((folder / f"{drawing.stem}{end}").is_file() for end in (".png", ".svg"))
    )


def _known(folder: Path) -> dict[str, str]:
    try:
        return {str(k): str(v) for k, v in json.loads((folder / _DRAWN).read_bytes()).items()}
    except (OSError, ValueError, AttributeError):
        return {}  # then all are drawn


def _remember(folder: Path, drawn: Mapping[str, str]) -> None:
    if drawn:
        text = json.dumps(_known(folder) | dict(drawn), sort_keys=True)
        write_atomically(folder / _DRAWN, text.encode())


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
    content = base64.b64encode((folder / f"{drawing.stem}.png").read_bytes()).decode()
    return Picture(
        row=drawing.row,
        stem=drawing.stem,
        caption=drawing.caption,
        alt=drawing.curves.title,
        source=f"data:image/png;base64,{content}",
        half=drawing.half,
    )
