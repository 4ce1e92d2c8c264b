"""A panel of measured lines, theory dashed on top of them, published points as open diamonds."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.patheffects import Normal, Stroke
from matplotlib.ticker import MaxNLocator

from experiments.figures.indices import as_mathtext
from experiments.figures.lines import DrawnLine, lies_on
from experiments.figures.reproduced import CurvePanel
from experiments.figures.style import (
    FAINT,
    INK,
    MARKERS,
    SERIES,
    folded,
    legible,
    logarithmic,
    shown,
    ticks_at,
)
from theory.arrays import Floats

DIRECT = 5
"""Lines in a panel that can be labelled at their ends."""

_THEORY: tuple[int, tuple[float, ...]] = (0, (4, 2.5))
_APART = 0.066  # of the axis' height between two labels
FEW = 12
"""Points of a line that each have a mark: of a sweep, not of a run."""

_MARKS = 7  # on a line of many points that is told by its mark


class LineLook(NamedTuple):
    """Style of a name in every panel.

    Attributes:
        colour: of line and label.
        marker: of some of its points, where names stand apart from the lines; empty: none.
        dot: of all its points, where they are few.
    """

    colour: str
    marker: str
    dot: str

    def mark(self, points: int) -> str:
        """The marker of a line of so many points; empty: none."""
        return self.dot if points <= FEW else self.marker


def looks(panels: tuple[CurvePanel, ...]) -> dict[str, LineLook]:
    """A look for each name: six colours, and a marker beside each, so that they are told apart in
    grey too. Dashes are theory's alone.
    """
    names = dict.fromkeys(line.name for p in panels for line in (*p.lines, *p.published))
    apart = any(labelled(panel) > DIRECT for panel in panels)
    found = {}
    for k, name in enumerate(names):
        dot = MARKERS[(k + k // len(SERIES)) % len(MARKERS)]
        found[name] = LineLook(SERIES[k % len(SERIES)], dot if apart and k else "", dot)
    return found


def labelled(panel: CurvePanel) -> int:
    """Names that would stand beside the panel."""
    return sum(bool(line.name) for line in (*panel.lines, *panel.theory))


def draw_curves(ax: Axes, panel: CurvePanel, names: dict[str, LineLook], direct: bool) -> None:
    """Draw the panel; ``direct``: names stand at the lines' ends, else only those of theory."""
    across, up = (scale == "log" for scale in panel.scales)
    for line, covered in zip(panel.lines, _covering(panel), strict=True):
        _measured(ax, line, names[line.name], (across, up), covered)
    for line in panel.theory:
        ax.plot(shown(line.x, across), shown(line.y, up), color=INK, linestyle=_THEORY,
                linewidth=1.1, zorder=3.5)  # fmt: skip
    for line in panel.published:
        ax.plot(shown(line.x, across), shown(line.y, up), "D", color=names[line.name].colour,
                markerfacecolor="white", markersize=5.5, markeredgewidth=1.2, linewidth=0,
                zorder=4)  # fmt: skip
    if panel.limits is not None:
        ax.set_ylim(*panel.limits)
    logarithmic(ax, x=across, y=up)
    _ticks(ax, panel)
    ax.set_xlabel(folded(panel.x_label))
    ax.set_ylabel(folded(panel.y_label))
    ax.set_title(as_mathtext(panel.title), wrap=True)
    ax.grid(True, color=FAINT, alpha=0.3)
    _labels(ax, panel, names if direct else {})


def _measured(
    ax: Axes, line: DrawnLine, look: LineLook, logs: tuple[bool, bool], covered: int
) -> None:
    """A line with its band; one that is ``covered`` by others is the wider and paler, so that all
    are seen, with its marks on top."""
    x, y = shown(line.x, logs[0]), shown(line.y, logs[1])
    few = line.x.size <= FEW
    every = 1 if few else max(1, line.x.size // _MARKS)
    marker = look.mark(line.x.size) or None
    marks = {"marker": marker, "markersize": 3.5, "markevery": every}
    style: Any = {"color": look.colour, **marks}
    ax.plot(x, y, **style, linewidth=1.5 + 2.4 * covered, alpha=0.5 if covered else 1.0,
            label=as_mathtext(line.name), zorder=2.8 if covered else 3)  # fmt: skip
    if covered:
        ax.plot(x, y, **style, linewidth=0, zorder=3.6)
    if line.low is not None and line.high is not None:
        ax.fill_between(x, shown(line.low, logs[1]), shown(line.high, logs[1]),
                        color=look.colour, alpha=0.18, linewidth=0)  # fmt: skip


def _covering(panel: CurvePanel) -> list[int]:
    """Numbers of later lines, and of theory, on each measured one, three at most; none of later
    lines where so many lie on each other that wide ones would hide them all."""
    seen = [_within(line, panel) for line in panel.lines]
    theory = [_within(line, panel) for line in panel.theory]
    every = (*seen, *theory)

    def over(line: DrawnLine, others: list[DrawnLine]) -> int:
        return sum(
            lies_on(one, line, every, panel.scales) or lies_on(line, one, every, panel.scales)
            for one in others
            if one.x.size > 2 < line.x.size
        )

    measured = [over(line, seen[number + 1 :]) for number, line in enumerate(seen)]
    crowded = sum(map(bool, measured)) > DIRECT
    return [
        min((0 if crowded else later) + over(line, theory), 3)
        for later, line in zip(measured, seen, strict=True)
    ]


def _within(line: DrawnLine, panel: CurvePanel) -> DrawnLine:
    """The line's points between the panel's limits."""
    low, high = panel.limits or (-np.inf, np.inf)
    kept = (line.y >= low) & (line.y <= high)
    return DrawnLine(line.name, line.x[kept], line.y[kept])


def _ticks(ax: Axes, panel: CurvePanel) -> None:
    """Whole numbers where the points are; on a logarithmic axis the points themselves if few."""
    if panel.scales[0] == "linear":
        if all((line.x % 1 == 0).all() for line in panel.lines):
            ax.xaxis.set_major_locator(MaxNLocator(6, integer=True))
        return
    ticks_at(ax, (x for line in panel.lines for x in line.x))


def _labels(ax: Axes, panel: CurvePanel, names: dict[str, LineLook]) -> None:
    """Names at the right end of their lines, moved apart where these meet; of what is published
    at the points where no line has the name."""
    ax.autoscale_view()  # else the axes are still those of before
    to_axes = ax.transData + ax.transAxes.inverted()
    drawn = [(line, legible(names[line.name].colour)) for line in panel.lines] if names else []
    ends = []
    for line, colour in (*drawn, *((line, INK) for line in panel.theory if line.name)):
        x, y = shown(line.x, panel.scales[0] == "log"), shown(line.y, panel.scales[1] == "log")
        seen = np.isfinite(x) & np.isfinite(y)
        if not seen.any():
            continue
        last = int(np.flatnonzero(seen)[np.argmax(line.x[seen])])
        height = float(np.clip(to_axes.transform((line.x[last], line.y[last]))[1], 0.0, 1.0))
        ends.append((height, folded(line.name, 22) + _beyond(ax, y[seen]), colour))
    ends.sort(key=lambda end: end[0])
    heights: list[float] = []
    for k, (height, text, _) in enumerate(ends):
        room = _APART * (1 + 0.5 * (text.count("\n") + ends[k - 1][1].count("\n")))
        heights.append(max(height, heights[-1] + room) if heights else height)
    above = _APART * ends[-1][1].count("\n") / 2 if ends else 0.0  # half of a label's lines
    down = max(0.0, heights[-1] + above - 1.0) if heights else 0.0
    style: Any = {"fontsize": 8, "va": "center", "ha": "left", "annotation_clip": False,
                        "zorder": 5}  # fmt: skip
    for height, (_, text, colour) in zip(heights, ends, strict=True):
        ax.annotate(text, (1.02, height - down), xycoords="axes fraction", color=colour, **style)
    measured = {line.name for line in panel.lines}
    alone = [line for line in panel.published if names and line.name not in measured]
    for line in alone:
        ax.annotate(line.name, (line.x[-1], line.y[-1]), xytext=(6, 6), **style,
                    textcoords="offset points", color=legible(names[line.name].colour),
                    path_effects=[Stroke(linewidth=2.5, foreground="white"), Normal()])  # fmt: skip


def _beyond(ax: Axes, y: Floats) -> str:
    """An arrow where no point of a line is within the axis."""
    low, high = sorted(ax.get_ylim())
    return " ↓" if (y < low).all() else " ↑" if (y > high).all() else ""
