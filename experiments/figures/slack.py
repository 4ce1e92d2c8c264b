"""Slack of bounds: a dot for each theorem, as far left of 1 as the bound lies above all found."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from matplotlib.figure import Figure

from experiments.figures.style import BOUND, FAINT, INK, MEASURED, logarithmic

_HEIGHT = 0.2  # inches a theorem


class SlackLine(NamedTuple):
    """A theorem.

    Attributes:
        name: its name.
        share: largest metric over bound that was found.
        attacked: whether attackers found it; else semidefinite programmes, over all functions.
    """

    name: str
    share: float
    attacked: bool


class SlackPlot(NamedTuple):
    """Theorems under each other.

    Attributes:
        title: of the figure.
        x_label: what is shown.
        lines: from the top down.
        tight: lines above the gap that parts the tightest from the loosest.
    """

    title: str
    x_label: str
    lines: tuple[SlackLine, ...]
    tight: int


def slack_figure(plot: SlackPlot) -> Figure:
    """Dots on a logarithmic axis, each joined to 1, where a bound is attained."""
    count = len(plot.lines)
    figure = Figure(figsize=(6.2, 1.5 + _HEIGHT * (count + 1)), layout="constrained")
    ax = figure.subplots()
    y = -np.array([k + (k >= plot.tight) for k in range(count)], dtype=float)
    x = np.array([line.share for line in plot.lines])
    attacked = np.array([line.attacked for line in plot.lines], dtype=bool)
    ax.hlines(y, x, 1.0, color=FAINT, linewidth=1.0)
    sides = (
        (~attacked, "D", "over all functions, by semidefinite programmes"),
        (attacked, "o", "largest that attackers found"),
    )
    for chosen, marker, words in sides:
        if chosen.any():
            ax.plot(x[chosen], y[chosen], marker, color=MEASURED, markersize=5, label=words)
    ax.axvline(1.0, color=BOUND, linewidth=1.3, linestyle=(0, (5, 2)), label="the bound")
    ax.set_xlim(min(0.5 * float(x.min()), 0.5), 1.5)
    logarithmic(ax, y=False)
    ax.set_yticks(y, [line.name for line in plot.lines])
    ax.set_xlabel(plot.x_label)
    ax.grid(visible=False, axis="y")
    figure.legend(loc="outside lower center", ncols=1)
    figure.suptitle(plot.title, fontsize=11, color=INK)
    return figure
