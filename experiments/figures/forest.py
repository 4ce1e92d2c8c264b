"""Forest plot: measured exponents with their intervals, the stated ones beside them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.figures.indices import as_mathtext
from experiments.figures.style import BOUND, FAINT, INK, MEASURED
from theory.arrays import Floats

_LINE, _FRAME = 0.17, 1.0  # inches: of a line, of axis and legend
_WIDTH, _LETTER = 3.4, 0.065  # inches: of the axis, of a letter of a name
_OUTSIDE = 0.03  # of the lines at either end: axes go no farther than what is left


class ForestLine(NamedTuple):
    """One exponent.

    Attributes:
        name: what it is of.
        measured: the exponent.
        low: lower end of its interval.
        high: upper end.
        stated: the stated one; NaN: none.
        held: whether the run is held to what is stated; else it is only set beside it.
        refuted: whether what is stated was refuted.
        group: heading above lines of one group; empty: none.
    """

    name: str
    measured: float
    low: float
    high: float
    stated: float = math.nan
    held: bool = True
    refuted: bool = False
    group: str = ""


class ForestPlot(NamedTuple):
    """Exponents under each other.

    Attributes:
        title: of the figure.
        x_label: what is measured.
        interval: what the intervals are.
        lines: from the top down, groups together.
    """

    title: str
    x_label: str
    interval: str
    lines: tuple[ForestLine, ...]


def forest_figure(plot: ForestPlot) -> Figure:
    """A line an exponent: a dot with its interval; a diamond where theory is, filled where runs are
    held to it; a cross through what was refuted."""
    groups = len({line.group for line in plot.lines if line.group})
    height = _FRAME + _LINE * (len(plot.lines) + groups)
    width = _WIDTH + _LETTER * max(len(_named(line)) for line in plot.lines)
    figure = Figure(figsize=(width, max(1.6, height)), layout="constrained")
    ax = figure.subplots()
    places, names, place = [], [], 0
    for number, line in enumerate(plot.lines):
        if line.group and (number == 0 or plot.lines[number - 1].group != line.group):
            ax.annotate(as_mathtext(line.group), (-0.02, -place), fontsize=9, va="center",
                        ha="right", xycoords=("axes fraction", "data"), color=INK,
                        weight="bold")  # fmt: skip
            place += 1
        places.append(-place)
        names.append(_named(line))
        place += 1
    y = np.array(places, dtype=float)
    measured = np.array([line.measured for line in plot.lines])
    ends = np.abs(np.array([(one.measured - one.low, one.high - one.measured)
                            for one in plot.lines])).T  # fmt: skip
    ends = np.where(np.isfinite(ends).all(axis=0), ends, 0.0)
    ax.errorbar(
        measured, y, xerr=ends, fmt="o", color=MEASURED, markersize=3.6,
        elinewidth=1.8, zorder=3, label=f"measured, {plot.interval}",
    )  # fmt: skip
    stated = np.array([line.stated for line in plot.lines])
    held = np.array([line.held for line in plot.lines], dtype=bool)
    for chosen, filled, words in ((held, BOUND, "stated, held to it"),
                                  (~held, "none", "stated, beside it")):  # fmt: skip
        here = chosen & np.isfinite(stated)
        if here.any():
            ax.plot(stated[here], y[here], "D", color=BOUND, markerfacecolor=filled, markersize=5,
                    markeredgewidth=1.1, zorder=2, label=words)  # fmt: skip
    refuted = np.array([line.refuted for line in plot.lines], dtype=bool)
    if refuted.any():
        ax.plot(measured[refuted], y[refuted], "x", color=INK, markersize=9, zorder=4,
                label="refuted")  # fmt: skip
    ax.set_yticks(y, [as_mathtext(name) for name in names])
    ax.set_ylim(-place + 0.4, 0.6)
    ax.axvline(0.0, color=FAINT, linewidth=0.8, zorder=1)
    ax.set_xlabel(plot.x_label)
    figure.suptitle(plot.title, fontsize=11, color=INK)
    _outside(ax, measured, y)
    ax.grid(True, axis="x", color=FAINT, alpha=0.3)
    ax.grid(False, axis="y")
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=2)
    return figure


def _named(line: ForestLine) -> str:
    bounded = math.isfinite(line.low) and math.isfinite(line.high)
    return line.name if bounded else f"{line.name} (no interval)"


def _outside(ax: Axes, measured: Floats, y: Floats) -> None:
    """End the axis where nearly all lines lie; what is beyond is an arrow at its edge, with its
    number."""
    low, high = np.quantile(measured, (_OUTSIDE, 1 - _OUTSIDE))
    left, right = ax.get_xlim()
    margin = 0.25 * (high - low)
    left = max(left, low - margin) if measured.min() < low - margin else left
    right = min(right, high + margin) if measured.max() > high + margin else right
    ax.set_xlim(left, right)
    for place, value in zip(y, measured, strict=True):
        if not left <= value <= right:
            at, side, sign = (0.0, "left", "◂") if value < left else (1.0, "right", "▸")
            words = f"{sign} {value:.2g}" if value < left else f"{value:.2g} {sign}"
            ax.annotate(words, (at, place), xycoords=("axes fraction", "data"), va="center",
                        ha=side, fontsize=7.5, color=MEASURED)  # fmt: skip
