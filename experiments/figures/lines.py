"""Several measured lines in one panel, each with its own points and, where it has one, a band."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

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


def lines_figure(data: LineCurves) -> Figure:
    """One panel; colours first, then dashes, tell the lines apart."""
    figure = Figure(figsize=(5.4, 4.2), layout="constrained")
    ax = figure.subplots()
    across, up = (scale == "log" for scale in data.scales)
    for number, line in enumerate(data.lines):
        colour = SERIES[number % len(SERIES)]
        dashes = _DASHES[number // len(SERIES) % len(_DASHES)]
        x = positive(line.x) if across else line.x
        few = "o" if line.x.size <= 12 else None
        ax.plot(x, shown(line.y, up), color=colour, linestyle=dashes, marker=few, markersize=3.5,
                linewidth=1.3, label=line.name)  # fmt: skip
        if line.low is not None and line.high is not None:
            ax.fill_between(x, shown(line.low, up), shown(line.high, up), color=colour,
                            alpha=0.15, linewidth=0)  # fmt: skip
    logarithmic(ax, x=across, y=up)
    ax.set_xlabel(folded(data.x_label))
    ax.set_ylabel(folded(data.y_label))
    ax.set_title(data.title, wrap=True)
    ax.grid(True, color=FAINT, alpha=0.3)
    longest = max((len(line.name) for line in data.lines), default=0)
    columns = max(1, min(3, _LETTERS // (longest + _HANDLE)))
    figure.legend(loc="outside lower center", ncols=columns)
    return figure
