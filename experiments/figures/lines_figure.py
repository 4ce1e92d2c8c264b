"""Several measured lines in one panel, named at their ends or, if they are many, in a legend."""

from __future__ import annotations

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.figures.curve_panel import DIRECT, FEW, draw_curves, labelled, looks
from experiments.figures.indices import as_mathtext
from experiments.figures.lines import DrawnLine, LineCurves, drawn_points
from experiments.figures.readings import STRIP, draw_readings
from experiments.figures.reproduced import CurvePanel
from experiments.figures.style import folded

_LETTERS, _HANDLE = 84, 7  # that fit across the figure in a legend's type; those of a line's sample
_TITLE = 76  # letters of a title's line
_ABOVE = 1e3  # times the highest start, as far as an axis goes with a line that runs away
_AWAY = 1e9  # times that start, from which on a line of few points runs away


def lines_figure(data: LineCurves) -> Figure:
    """Colours, and from the seventh line on marks, tell lines apart; one that others cover is wide
    and pale below them.

    A line that has no place on the axes is in the legend, with the reason, and one that runs away
    leaves them at the top. Below them is the distribution of an effect's readings over replicas.
    """
    panel = CurvePanel(
        "", data.x_label, data.y_label, data.lines, data.theory,
        scales=data.scales, limits=_limits(data),
    )  # fmt: skip
    direct = labelled(panel) <= DIRECT
    height = 3.7 if direct else 4.3
    strip = STRIP if data.readings is not None else 0.0
    figure = Figure(figsize=(5.8, height + strip), layout="constrained")
    figure.suptitle(folded(data.title, _TITLE), fontsize=10.5)
    names = looks((panel,))
    if data.readings is None:
        draw_curves(figure.subplots(), panel, names, direct)
    else:
        above, below = figure.subplots(2, 1, height_ratios=(height, strip))
        draw_curves(above, panel, names, direct)
        draw_readings(below, data.readings, [names[line.name].colour for line in data.lines])
    told = {line.name: as_mathtext(line.name) + _unseen(line, data) for line in data.lines}
    listed = [name for name, words in told.items() if "(not drawn" in words or not direct]
    points = {line.name: line.x.size for line in data.lines}
    handles = [
        Line2D([], [], color=names[name].colour, marker=names[name].mark(points[name]),
               markersize=3.5, linewidth=1.5, label=told[name])
        for name in listed
    ]  # fmt: skip
    if handles:
        longest = max(len(told[name]) for name in listed)
        columns = max(1, min(3, _LETTERS // (longest + _HANDLE)))
        figure.legend(handles=handles, loc="outside lower center", ncols=columns)
    return figure


def _unseen(line: DrawnLine, data: LineCurves) -> str:
    """Reason why a line has no point on the axes; empty where it has one."""
    if len(drawn_points(line, data.scales)[0]) > 0:
        return ""
    if data.scales[0] == "log" and not (line.x > 0).any():
        return " (not drawn: at 0 on this axis)"
    return " (not drawn: diverges)" if not np.isfinite(line.y[1:]).any() else " (not drawn)"


def _limits(data: LineCurves) -> tuple[float, float] | None:
    """Of a logarithmic axis that a run leaves: it ends not far above where the lines start. A line
    of few points is a sweep: it may rise farther before it counts as running away."""
    drawn = [y for _, y in (drawn_points(line, data.scales) for line in data.lines) if len(y)]
    if data.scales[1] != "log" or not drawn:
        return None
    top = float(max(y[0] for y in drawn) + np.log(_ABOVE))
    sweep = all(line.x.size <= FEW for line in data.lines)
    away = max(y[0] for y in drawn) + np.log(_AWAY if sweep else _ABOVE)
    if max(y.max() for y in drawn) <= away:
        return None
    low = float(min(y.min() for y in drawn))
    return float(np.exp(low - 0.05 * (top - low))), float(np.exp(top))
