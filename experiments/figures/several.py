"""Several panels in a row, several lines in each; a name has one colour and dash everywhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.figures.lines import DrawnLine
from experiments.figures.style import FAINT, INK, SERIES, logarithmic, shown

Look = tuple[str, str | tuple[int, tuple[float, ...]]]

_DASHES: tuple[str | tuple[int, tuple[float, ...]], ...] = ("-", (0, (5, 2)), (0, (1, 1.5)))


class Panel(NamedTuple):
    """One panel; ``scales`` are "log" or "linear"; ``level`` a level with its name, or None.

    The first line is drawn broad: others may lie on it.

    Attributes:
        title: the title above the figure.
        x_label: label of the x axis, with unit.
        lines: the lines of the panel.
    """

    title: str
    x_label: str
    lines: tuple[DrawnLine, ...]
    scales: tuple[str, str] = ("log", "log")
    level: tuple[str, float] | None = None


@final
@dataclass(frozen=True)
class SeveralCurves:
    """What is drawn: ``panels`` in rows of ``columns`` beside one another with a shared y axis.

    ``limits`` of the y axis: what diverges leaves it.

    Attributes:
        title: the title above the figure.
        y_label: label of the y axis, with unit.
    """

    title: str
    y_label: str
    panels: tuple[Panel, ...]
    limits: tuple[float, float]
    columns: int


def several_figure(data: SeveralCurves) -> Figure:
    """One legend for all panels."""
    rows = -(-len(data.panels) // data.columns)
    size = (3.5 * data.columns + 0.5, 2.7 * rows + 1.0)
    figure = Figure(figsize=size, layout="constrained")
    grid = figure.subplots(rows, data.columns, sharey=True, squeeze=False)
    for ax in grid.flat[len(data.panels) :]:
        ax.set_visible(False)
    names = list(dict.fromkeys(line.name for panel in data.panels for line in panel.lines))
    looks = {name: _look(number) for number, name in enumerate(names)}
    for ax, panel in zip(grid.flat, data.panels, strict=False):
        _panel(ax, panel, looks)
        ax.set_ylim(*data.limits)
    for ax in grid[:, 0]:
        ax.set_ylabel(data.y_label)
    known: dict[str, Artist] = {}
    for ax in grid.flat:
        handles, labels = ax.get_legend_handles_labels()
        known |= dict(zip(labels, handles, strict=True))
    figure.legend(list(known.values()), list(known), loc="outside lower center", ncols=5)
    figure.suptitle(data.title, fontsize=11, color=INK)
    return figure


def _look(number: int) -> Look:
    return SERIES[number % len(SERIES)], _DASHES[number // len(SERIES) % len(_DASHES)]


def _panel(ax: Axes, panel: Panel, looks: dict[str, Look]) -> None:
    across, up = (scale == "log" for scale in panel.scales)
    for number, line in enumerate(panel.lines):
        colour, dashes = looks[line.name]
        x, y = shown(line.x, across), shown(line.y, up)
        ax.plot(x, y, color=colour, linestyle=dashes, label=line.name,
                linewidth=1.4 if number else 3.2, alpha=1.0 if number else 0.45)  # fmt: skip
        if line.low is not None and line.high is not None:
            ax.fill_between(x, shown(line.low, up), shown(line.high, up), color=colour,
                            alpha=0.15, linewidth=0)  # fmt: skip
    if panel.level is not None:
        ax.axhline(panel.level[1], color=FAINT, linewidth=1.0, linestyle=(0, (2, 2)),
                   label=panel.level[0])  # fmt: skip
    logarithmic(ax, x=across, y=up)
    ax.set_xlabel(panel.x_label)
    ax.set_title(panel.title)
    ax.grid(True, color=FAINT, alpha=0.3)
