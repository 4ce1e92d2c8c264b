"""A timeline as a Gantt picture: a lane for each resource, a bar for each task."""

from __future__ import annotations

from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from algorithms.schedules.timeline import TaskKind
from experiments.figures.style import FAINT, SERIES
from proofs_check.gantt import LanePanel

_COLOURS = {kind.value: colour for kind, colour in zip(TaskKind, SERIES, strict=False)}
_COLOURS |= {"added": SERIES[0], "copied": SERIES[4]}  # of a collective; apart in grey, too
_HEIGHT = 0.8


def timeline_figure(panel: LanePanel) -> Figure:
    """Lanes from top to bottom, time in milliseconds or seconds."""
    figure = Figure(figsize=(7.2, 1.2 + 0.45 * len(panel.lanes)), layout="constrained")
    ax = figure.subplots()
    end = float(panel.stop.max())
    unit, scale = ("ms", 1e3) if end < 1 else ("s", 1.0)
    for i, kind in enumerate(panel.kinds):
        mine = panel.kind == i
        spans = zip(panel.lane[mine], panel.start[mine], panel.stop[mine], strict=True)
        bars = [_bar(float(a) * scale, float(b) * scale, float(lane)) for lane, a, b in spans]
        colour = _COLOURS.get(kind, FAINT)
        ax.add_collection(
            PolyCollection(bars, facecolors=colour, edgecolors="white", linewidths=0.2, alpha=0.9)
        )
    figure.legend(
        [Patch(color=_COLOURS.get(kind, FAINT)) for kind in panel.kinds], panel.kinds,
        loc="outside lower center", ncols=len(panel.kinds),
    )  # fmt: skip
    ax.set_xlim(0.0, end * scale or 1.0)
    ax.set_ylim(len(panel.lanes) - 0.4, -0.6)
    ax.set_yticks(range(len(panel.lanes)), list(panel.lanes))
    ax.set_xlabel(unit)
    ax.set_title(panel.title, loc="left")
    ax.grid(axis="y", visible=False)
    return figure


def _bar(left: float, right: float, lane: float) -> list[tuple[float, float]]:
    low, high = lane - _HEIGHT / 2, lane + _HEIGHT / 2
    return [(left, low), (right, low), (right, high), (left, high)]
