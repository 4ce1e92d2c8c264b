"""One measured rate or effect: points with intervals, the fitted power law, theory's line."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.figures.style import BOUND, FAINT, MEASURED, SERIES, folded, logarithmic, positive
from theory.arrays import Floats


@final
@dataclass(frozen=True)
class RateCurves:
    """What is drawn; arrays ``[K]``.

    mean, low, high   measured at ``x``, with its interval
    fit               the fitted power law at ``x``
    reference         theory's line or exact curve, NaN where it says nothing
    groups            further measured points: label, their x, their y

    Attributes:
        title: the title above the figure.
        x_label: label of the x axis, with unit.
        y_label: label of the y axis, with unit.
    """

    title: str
    x_label: str
    y_label: str
    x: Floats
    mean: Floats
    low: Floats
    high: Floats
    fit: Floats | None = None
    reference: Floats | None = None
    groups: tuple[tuple[str, Floats, Floats], ...] = ()


def rate_figure(rate: RateCurves) -> Figure:
    """One panel, log-log where all is positive."""
    figure = Figure(figsize=(5.2, 3.7), layout="constrained")
    ax = figure.subplots()
    _measured(ax, rate)
    for number, (label, x, y) in enumerate(rate.groups):
        colour = SERIES[2 + number % (len(SERIES) - 2)]
        ax.plot(x, positive(y), "s", color=colour, markersize=3.5, label=label, zorder=1)
    if rate.fit is not None:
        ax.plot(rate.x, positive(rate.fit), color=MEASURED, linewidth=1.1, label="fitted power law")
    if rate.reference is not None and np.isfinite(rate.reference).any():
        ax.plot(rate.x, positive(rate.reference), color=BOUND, linewidth=1.2,
                linestyle=(0, (5, 2)), label="theory")  # fmt: skip
    spread = rate.x.size > 1 and np.nanmin(rate.x) > 0
    logarithmic(ax, x=bool(spread), y=bool(np.nanmax(rate.mean) > 0))
    ax.set_xlabel(folded(rate.x_label))
    ax.set_ylabel(folded(rate.y_label))
    ax.set_title(rate.title, wrap=True)
    ax.grid(True, color=FAINT, alpha=0.3)
    handles, labels = ax.get_legend_handles_labels()
    figure.legend(handles[::-1], labels[::-1], loc="outside lower center", ncols=4)
    return figure


def _measured(ax: Axes, rate: RateCurves) -> None:
    below = np.clip(np.nan_to_num(rate.mean - rate.low), 0, 0.999 * np.abs(rate.mean))
    above = np.clip(np.nan_to_num(rate.high - rate.mean), 0, None)
    ax.errorbar(
        rate.x,
        positive(rate.mean),
        yerr=(below, above),
        fmt="o",
        color=MEASURED,
        markersize=4.5,
        elinewidth=1.0,
        capsize=2.5,
        label="measured mean, interval",
    )
