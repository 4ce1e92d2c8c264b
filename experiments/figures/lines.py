"""Several measured lines in one panel, each with its own points and, where it has one, a band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.figures.style import FAINT, SERIES, folded, logarithmic, positive, shown
from theory.arrays import Floats


class DrawnLine(NamedTuple):
    """One line: its name, points ``[K]``, and the band around it or None.

    Attributes:
        x: where the points are.
        y: the values.
        low: lower end of the band.
        high: upper end of the band.
    """

    name: str
    x: Floats
    y: Floats
    low: Floats | None = None
    high: Floats | None = None


def over_runs(name: str, x: Floats, values: Floats) -> DrawnLine:
    """The mean of runs ``[R, K]``, with a band from their 10th to their 90th percentile."""
    low, high = np.quantile(values, (0.1, 0.9), axis=0)
    return DrawnLine(name, x, values.mean(0), low, high)


@final
@dataclass(frozen=True)
class LineCurves:
    """What is drawn; ``scales`` of the axes are "log" or "linear".

    Attributes:
        title: the title above the figure.
        x_label: label of the x axis, with unit.
        y_label: label of the y axis, with unit.
        lines: what is drawn, in this order.
    """

    title: str
    x_label: str
    y_label: str
    lines: tuple[DrawnLine, ...]
    scales: tuple[str, str] = ("log", "log")


_LETTERS, _HANDLE = 84, 7  # that fit across the figure in a legend's type; those of a line's sample
_DASHES = ("-", (0, (5, 2)), (0, (1, 1.5)))
_CLOSE = 0.012  # of the height: lines nearer than this lie on each other
_ABOVE = 1e3  # times the highest start, as far as an axis goes with a line that runs away


def lines_figure(data: LineCurves) -> Figure:
    """One panel; colours first, then dashes, tell the lines apart.

    A line that lies on an earlier one for long is dashed, so that both are seen. One that has no
    place on the axes says so in the legend, and one that runs away leaves them at the top.
    """
    figure = Figure(figsize=(5.4, 4.2), layout="constrained")
    ax = figure.subplots()
    across, up = (scale == "log" for scale in data.scales)
    for number, line in enumerate(data.lines):
        colour = SERIES[number % len(SERIES)]
        earlier = data.lines[:number]
        hidden = sum(lies_on(line, other, data.lines, data.scales) for other in earlier)
        dashes = _DASHES[(number // len(SERIES) + hidden) % len(_DASHES)]
        x = positive(line.x) if across else line.x
        few = "o" if line.x.size <= 12 else None
        ax.plot(x, shown(line.y, up), color=colour, linestyle=dashes, marker=few, markersize=3.5,
                linewidth=1.3, label=line.name + _unseen(line, data))  # fmt: skip
        if line.low is not None and line.high is not None:
            ax.fill_between(x, shown(line.low, up), shown(line.high, up), color=colour,
                            alpha=0.15, linewidth=0)  # fmt: skip
    if up:
        _keep_below(ax, data)
    logarithmic(ax, x=across, y=up)
    ax.set_xlabel(folded(data.x_label))
    ax.set_ylabel(folded(data.y_label))
    ax.set_title(data.title, wrap=True)
    ax.grid(True, color=FAINT, alpha=0.3)
    longest = max((len(line.name) for line in data.lines), default=0)
    columns = max(1, min(3, _LETTERS // (longest + _HANDLE)))
    figure.legend(loc="outside lower center", ncols=columns)
    return figure


def _drawn(line: DrawnLine, scales: tuple[str, str]) -> tuple[Floats, Floats]:
    """The points that are drawn, as an axis places them."""
    across, up = (scale == "log" for scale in scales)
    x, y = (positive(line.x) if across else line.x), shown(line.y, up)
    seen = np.isfinite(x) & np.isfinite(y)
    x, y = x[seen], y[seen]
    return (np.log(x) if across else x), (np.log(y) if up else y)


def lies_on(
    line: DrawnLine, other: DrawnLine, lines: tuple[DrawnLine, ...], scales: tuple[str, str]
) -> bool:
    """Whether half of a line's points lie on another line of a panel of ``lines``."""
    (x, y), (x2, y2) = _drawn(line, scales), _drawn(other, scales)
    if not (len(x) and len(x2)) or (np.diff(x2) < 0).any():
        return False
    both = np.concatenate([_drawn(one, scales)[1] for one in lines])
    near = np.abs(np.interp(x, x2, y2, np.nan, np.nan) - y) < _CLOSE * np.ptp(both)
    return bool(2 * near.sum() >= len(x))


def _unseen(line: DrawnLine, data: LineCurves) -> str:
    """Why a line has no point on the axes; empty where it has one."""
    if len(_drawn(line, data.scales)[0]) > 0:
        return ""
    if data.scales[0] == "log" and not (line.x > 0).any():
        return " (not drawn: at 0 on this axis)"
    return " (not drawn: diverges)" if not np.isfinite(line.y[1:]).any() else " (not drawn)"


def _keep_below(ax: Axes, data: LineCurves) -> None:
    """End a logarithmic axis not far above where the lines start."""
    drawn = [y for _, y in (_drawn(line, data.scales) for line in data.lines) if len(y)]
    top = max((y[0] for y in drawn), default=0.0) + np.log(_ABOVE)
    if max((y.max() for y in drawn), default=0.0) > top:
        ax.set_yscale("log")
        low = min(y.min() for y in drawn)
        ax.set_ylim(np.exp(low - 0.05 * (top - low)), np.exp(top))
