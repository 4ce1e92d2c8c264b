"""A published figure made again: panels of lines, theory dashed, and dots of published and ours."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple, final

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import MaxNLocator

from experiments.figures.lines import DrawnLine
from experiments.figures.style import (
    BOUND,
    FAINT,
    INK,
    MEASURED,
    SERIES,
    folded,
    logarithmic,
    shown,
)

LineStyle = tuple[str, str | tuple[int, tuple[float, ...]]]


class CurvePanel(NamedTuple):
    """Measured lines, theory's dashed ones, and published points.

    Attributes:
        title: the title above the panel.
        x_label: label of the x axis, with unit.
        y_label: label of the y axis, with unit.
        lines: measured lines, with bands where they have any.
        theory: dashed lines; the name is the formula or the order, written on the line.
        published: points that are published, drawn as open diamonds.
        scales: of the axes, "log" or "linear".
        limits: of the y axis; None: as the lines ask for.
    """

    title: str
    x_label: str
    y_label: str
    lines: tuple[DrawnLine, ...]
    theory: tuple[DrawnLine, ...] = ()
    published: tuple[DrawnLine, ...] = ()
    scales: tuple[str, str] = ("log", "log")
    limits: tuple[float, float] | None = None


class PublishedDot(NamedTuple):
    """One line of a dot plot.

    Attributes:
        name: the quantity.
        ours: our number.
        published: the published one; NaN: none.
        low: lower end of our interval; NaN: none.
        high: upper end of our interval.
        sign: "<= " or ">= " before a published bound.
    """

    name: str
    ours: float
    published: float = math.nan
    low: float = math.nan
    high: float = math.nan
    sign: str = ""


class DotPanel(NamedTuple):
    """A table as a dot plot.

    Attributes:
        title: the title above the panel.
        x_label: what the numbers are, with unit.
        dots: the rows, from the top down.
    """

    title: str
    x_label: str
    dots: tuple[PublishedDot, ...]


Panel = CurvePanel | DotPanel


@final
@dataclass(frozen=True)
class FigureDrawing:
    """What is drawn, in rows of ``columns`` panels.

    Attributes:
        title: the title above the figure.
        panels: what it consists of.
    """

    title: str
    panels: tuple[Panel, ...]
    columns: int = 3

    def points(self) -> Iterator[dict[str, Any]]:
        """Every point that is drawn, as a row of a tidy table."""
        for number, panel in enumerate(self.panels):
            place = {"panel": panel.title or str(number + 1)}
            if isinstance(panel, DotPanel):
                for dot in panel.dots:
                    own = {"name": dot.name, "x": "", "low": dot.low, "high": dot.high}
                    yield {**place, "kind": "ours", **own, "y": dot.ours}
                    if math.isfinite(dot.published):
                        yield {**place, "kind": "published", "name": dot.name, "y": dot.published}
                continue
            kinds = ("ours", panel.lines), ("theory", panel.theory), ("published", panel.published)
            for kind, lines in kinds:
                for line in lines:
                    yield from ({**place, "kind": kind, **point} for point in _points(line))


def _points(line: DrawnLine) -> Iterator[dict[str, Any]]:
    for k, (x, y) in enumerate(zip(line.x, line.y, strict=True)):
        point = {"name": line.name, "x": float(x), "y": float(y)}
        if line.low is not None and line.high is not None:
            point |= {"low": float(line.low[k]), "high": float(line.high[k])}
        yield point


_DASHES: tuple[str | tuple[int, tuple[float, ...]], ...] = ("-", (0, (5, 2)), (0, (1, 1.5)))
_THEORY: tuple[int, tuple[float, ...]] = (0, (4, 2.5))
_DIRECT = 5  # lines in a panel that can be labelled at their ends
_APART = 0.066  # of the axis' height between two labels
_WIDE = 20.0  # numbers of a dot plot further apart than this are on a log axis
_DOTS = "#5d646b"


def reproduced_figure(data: FigureDrawing) -> Figure:
    """A name has one colour and dash everywhere; labels at the lines where these are few."""
    columns = min(data.columns, len(data.panels))
    rows = -(-len(data.panels) // columns)
    direct = all(_few(panel) for panel in data.panels if isinstance(panel, CurvePanel))
    width = max(_width(panel, direct) for panel in data.panels)
    height = max(_height(panel) for panel in data.panels)
    figure = Figure(figsize=(width * columns + 0.3, height * rows + 0.6), layout="constrained")
    grid = figure.subplots(rows, columns, squeeze=False)
    for ax in grid.flat[len(data.panels) :]:
        ax.set_visible(False)
    styles = _styles(data)
    for ax, panel in zip(grid.flat, data.panels, strict=False):
        if isinstance(panel, DotPanel):
            _dots(ax, panel)
        else:
            _lines(ax, panel, styles)
            _labels(ax, panel, styles if direct else {})
    _legend(figure, grid.flat[: len(data.panels)], direct)
    figure.suptitle(data.title, fontsize=11, color=INK, wrap=True)
    return figure


def _few(panel: CurvePanel) -> bool:
    return len(panel.lines) + len(panel.theory) <= _DIRECT


def _width(panel: Panel, direct: bool) -> float:
    if isinstance(panel, DotPanel):
        return 4.2 + 0.055 * max(len(dot.name) for dot in panel.dots)
    return 4.3 if direct else 3.5


def _height(panel: Panel) -> float:
    return 0.9 + 0.26 * len(panel.dots) if isinstance(panel, DotPanel) else 2.9


def _styles(data: FigureDrawing) -> dict[str, LineStyle]:
    panels = [panel for panel in data.panels if isinstance(panel, CurvePanel)]
    names = dict.fromkeys(line.name for p in panels for line in (*p.lines, *p.published))
    return {
        name: (SERIES[k % len(SERIES)], _DASHES[k // len(SERIES) % len(_DASHES)])
        for k, name in enumerate(names)
    }


def _lines(ax: Axes, panel: CurvePanel, styles: dict[str, LineStyle]) -> None:
    across, up = (scale == "log" for scale in panel.scales)
    for number, line in enumerate(panel.lines):
        colour, dashes = styles[line.name]
        x, y = shown(line.x, across), shown(line.y, up)
        few = "o" if line.x.size <= 12 else None
        ax.plot(x, y, color=colour, linestyle=dashes, label=line.name, marker=few, markersize=3.5,
                linewidth=1.5 if number else 2.2, zorder=3)  # fmt: skip
        if line.low is not None and line.high is not None:
            ax.fill_between(x, shown(line.low, up), shown(line.high, up), color=colour,
                            alpha=0.18, linewidth=0)  # fmt: skip
    for line in panel.theory:
        ax.plot(shown(line.x, across), shown(line.y, up), color=_DOTS, linestyle=_THEORY,
                linewidth=1.2, zorder=3.5)  # fmt: skip
    for line in panel.published:
        ax.plot(shown(line.x, across), shown(line.y, up), "D", color=styles[line.name][0],
                markerfacecolor="white", markersize=5.5, markeredgewidth=1.2, linewidth=0,
                zorder=4, label="published")  # fmt: skip
    if panel.limits is not None:
        ax.set_ylim(*panel.limits)
    logarithmic(ax, x=across, y=up)
    if not across and all((line.x % 1 == 0).all() for line in panel.lines):
        ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
    ax.set_xlabel(folded(panel.x_label))
    ax.set_ylabel(folded(panel.y_label))
    ax.set_title(panel.title, wrap=True)
    ax.grid(True, color=FAINT, alpha=0.3)


def _labels(ax: Axes, panel: CurvePanel, styles: dict[str, LineStyle]) -> None:
    """Names at the right end of their lines, moved apart where these meet; without ``styles``
    of the dashed lines only."""
    to_axes = ax.transData + ax.transAxes.inverted()
    ends = []
    drawn = [(line, styles[line.name][0]) for line in panel.lines] if styles else []
    for line, colour in (*drawn, *((line, _DOTS) for line in panel.theory)):
        seen = np.isfinite(shown(line.x, panel.scales[0] == "log"))
        seen &= np.isfinite(shown(line.y, panel.scales[1] == "log"))
        if not seen.any():
            continue
        last = int(np.flatnonzero(seen)[np.argmax(line.x[seen])])
        height = float(np.clip(to_axes.transform((line.x[last], line.y[last]))[1], 0.0, 1.0))
        ends.append((height, folded(line.name, 22), colour))
    ends.sort(key=lambda end: end[0])
    heights: list[float] = []
    for k, (height, text, _) in enumerate(ends):
        room = _APART * (1 + 0.5 * (text.count("\n") + ends[k - 1][1].count("\n")))
        heights.append(max(height, heights[-1] + room) if heights else height)
    down = max(0.0, heights[-1] - 1.0) if heights else 0.0
    for height, (_, text, colour) in zip(heights, ends, strict=True):
        ax.annotate(text, (1.02, height - down), xycoords="axes fraction", fontsize=8,
                    color=colour, va="center", ha="left", annotation_clip=False)  # fmt: skip


def _dots(ax: Axes, panel: DotPanel) -> None:
    places = np.arange(len(panel.dots))[::-1]
    for place, dot in zip(places, panel.dots, strict=True):
        if math.isfinite(dot.published) and math.isfinite(dot.ours):
            ax.plot([dot.published, dot.ours], [place, place], color=FAINT, linewidth=1.2, zorder=1)
        if math.isfinite(dot.low) and math.isfinite(dot.high):
            ax.plot([dot.low, dot.high], [place, place], color=MEASURED, linewidth=2.2, zorder=2)
        ax.plot([dot.published], [place], "D", color=BOUND, markerfacecolor="none",
                markersize=7, markeredgewidth=1.4, zorder=4,
                label="" if place != places[0] else "published")  # fmt: skip
        ax.plot([dot.ours], [place], "o", color=MEASURED, markersize=4.5, zorder=3,
                label="" if place != places[0] else "ours")  # fmt: skip
        said = f"({dot.sign}{dot.published:.5g})" if math.isfinite(dot.published) else ""
        told = f"{dot.ours:.5g}  {said}".strip() if math.isfinite(dot.ours) else said
        ax.annotate(told, (1.02, place), xycoords=("axes fraction", "data"), fontsize=8,
                    va="center", color=INK, annotation_clip=False)  # fmt: skip
    numbers = np.array([(dot.ours, dot.published) for dot in panel.dots], dtype=np.float64)
    known = np.abs(numbers[np.isfinite(numbers)])
    wide = known.size > 0 and known.min() > 0 and known.max() / known.min() > _WIDE
    if wide and (numbers[np.isfinite(numbers)] > 0).all():
        logarithmic(ax, y=False)
    ax.set_yticks(places, [folded(dot.name, 60) for dot in panel.dots])
    ax.set_ylim(-0.6, len(panel.dots) - 0.4)
    ax.set_xlabel(folded(panel.x_label))
    ax.set_title(panel.title, wrap=True)
    ax.grid(True, color=FAINT, alpha=0.3)


def _legend(figure: Figure, axes: Any, direct: bool) -> None:
    """Of what is not written on the lines."""
    known: dict[str, Artist] = {}
    for ax in axes:
        for handle, label in zip(*ax.get_legend_handles_labels(), strict=True):
            if not direct or label in ("published", "ours"):
                known.setdefault(label, handle)
    if known:
        columns = min(5, max(2, int(figure.get_size_inches()[0] / 2)))
        figure.legend(list(known.values()), list(known), loc="outside lower center", ncols=columns)
