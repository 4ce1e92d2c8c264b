"""Lazy aggregation: uploads needed, error against uploads, and who uploads."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import NullFormatter, NullLocator

from experiments.figures.style import FAINT, INK, SERIES, logarithmic, positive
from theory.arrays import Floats

_STYLES = ("-", "-", "-", (0, (5, 3)), "-", (0, (1, 2)))


class UploadsLine(NamedTuple):
    """One method in the last race: error n (f - f*) ``[K]`` against ``uploads`` ``[K]``.

    Attributes:
        name: the method.
    """

    name: str
    uploads: Floats
    error: Floats


class Bars(NamedTuple):
    """One method: ``totals`` for each number of workers, and the ``published`` ones (NaN: none).

    Attributes:
        name: the method.
    """

    name: str
    totals: Floats
    published: Floats


@final
@dataclass(frozen=True)
class LagCurves:
    """What is drawn: bars for ``workers``, lines of the last of them, uploads by worker.

    ``by_curvature`` are pairs of a name and the uploads ``[n]`` of workers with ``smoothness``
    ``[n]``.

    Attributes:
        title: the title above the figure.
    """

    title: str
    workers: tuple[int, ...]
    bars: tuple[Bars, ...]
    lines: tuple[UploadsLine, ...]
    smoothness: Floats
    by_curvature: tuple[tuple[str, Floats], ...]


def lag_figure(data: LagCurves) -> Figure:
    """Three panels with one colour a method."""
    figure = Figure(figsize=(11.4, 3.7), layout="constrained")
    left, middle, right = figure.subplots(1, 3)
    colours = {bars.name: SERIES[k % len(SERIES)] for k, bars in enumerate(data.bars)}
    _bars(left, data, colours)
    _lines(middle, data, colours)
    _workers(right, data, colours)
    handles, labels = middle.get_legend_handles_labels()
    more, names = left.get_legend_handles_labels()
    figure.legend(handles + more, labels + names, loc="outside lower center", ncols=len(labels) + 1)
    figure.suptitle(data.title, fontsize=11, color=INK)
    return figure


def _bars(ax: Axes, data: LagCurves, colours: dict[str, str]) -> None:
    width = 0.84 / len(data.bars)
    places = np.arange(len(data.workers))
    for k, bars in enumerate(data.bars):
        x = places + (k - (len(data.bars) - 1) / 2) * width
        ax.bar(x, bars.totals, width * 0.92, color=colours[bars.name])
        if np.isfinite(bars.published).any():
            label = "" if ax.get_legend_handles_labels()[1] else "published"
            ax.plot(x, bars.published, "_", color=INK, markersize=13,
                    markeredgewidth=1.2, label=label)  # fmt: skip
        if np.isfinite(bars.totals[-1]):
            ax.annotate(f"{bars.totals[-1]:.0f}", (x[-1], bars.totals[-1]), (0, 3),
                        textcoords="offset points", ha="center", fontsize=6.5,
                        bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.4})  # fmt: skip
    everything = np.concatenate([bars.totals for bars in data.bars])
    ax.set_ylim(10 ** np.floor(np.log10(np.nanmin(everything))), 2 * np.nanmax(everything))
    logarithmic(ax, x=False)
    ax.xaxis.set_minor_locator(NullLocator())
    ax.set_xticks(places, [str(n) for n in data.workers])
    ax.grid(False, axis="x")
    ax.set_xlabel("workers $n$")
    ax.set_ylabel("uploads until $n\\,(f - f^*) < 10^{-8}$")


def _lines(ax: Axes, data: LagCurves, colours: dict[str, str]) -> None:
    for k, line in enumerate(data.lines):
        style = _STYLES[k % len(_STYLES)]  # several lie on one another
        ax.plot(positive(line.uploads), positive(line.error), color=colours[line.name],
                linewidth=1.4, linestyle=style, label=line.name)  # fmt: skip
    logarithmic(ax)
    ax.set_xlabel(f"uploads, $n = {data.workers[-1]}$")
    ax.set_ylabel("$n\\,(f(x_t) - f^*)$")
    ax.grid(True, color=FAINT, alpha=0.3)


def _workers(ax: Axes, data: LagCurves, colours: dict[str, str]) -> None:
    for name, counts in data.by_curvature:
        ax.plot(data.smoothness, positive(counts), "o-", color=colours[name], markersize=4,
                linewidth=1.2)  # fmt: skip
    logarithmic(ax)
    ax.yaxis.set_minor_formatter(NullFormatter())
    ax.set_xlabel("the worker's $L_i$, $n = 9$, made problem")
    ax.set_ylabel("uploads of the worker")
    ax.grid(True, color=FAINT, alpha=0.3)
