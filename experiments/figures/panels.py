"""Three panels: one measured quantity against steps, bits and seconds, its bound beside it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from experiments.figures.indices import as_mathtext
from experiments.figures.style import BOUND, FAINT, INK, MEASURED, SERIES, logarithmic, shown
from theory.arrays import Floats

_NAMES_A_LINE = 3  # of the legend
_TOP = 0.86  # of the axes' height, from which on no word fits above a line
_LEFT, _RIGHT, _ABOVE, _BELOW, _LINE = 0.8, 0.12, 0.36, 0.56, 0.19  # inches


@final
@dataclass(frozen=True)
class RunCurves:
    """Curves of a figure; all arrays ``[K]``.

    mean, low, high   measured mean over replicas and its interval, of the quantity ``label``
    band              what the interval is
    bound             the theorem's bound on it, NaN where it says nothing; None without a theorem
    bits              sent and received per worker [bits]
    seconds           time [s] of the cost model, None without one; ``clock`` says which

    Attributes:
        title: the title above the figure.
        steps: steps done at each record.
        bound_label: what the bound is called in the legend.
        bound_order: its order, written on its line.
        name: what the measured mean is called in the legend.
        beside: another run of the method, drawn without band, with its bound if it has one.
    """

    title: str
    label: str
    steps: Floats
    mean: Floats
    low: Floats
    high: Floats
    bits: Floats
    band: str = "95% interval of the mean"
    seconds: Floats | None = None
    clock: str = "time"
    bound: Floats | None = None
    bound_label: str = "bound"
    bound_order: str = ""
    name: str = "measured mean"
    beside: RunCurves | None = None


def three_panels(run: RunCurves) -> Figure:
    """Log-log panels with shared y axis; the start (zero steps) has no place on a log axis.

    Of a run that is exact after its first step nothing would be left: its axes are linear.
    """
    log = bool((run.mean[1:] > 0).any())
    labels = ("steps $t$", "sent and received per worker [Mbit]", f"{run.clock} [s]")
    other = (None,) * 3 if run.beside is None else _across(run.beside)
    drawn = [
        (label, x, its)
        for label, x, its in zip(labels, _across(run), other, strict=True)
        if x is not None and np.nanmax(x) > 0
    ]
    figure = Figure(figsize=(3.3 * len(drawn) + 0.4, 2.9))
    panels = figure.subplots(1, len(drawn), sharey=True, squeeze=False)[0]
    for ax, (label, x, its) in zip(panels, drawn, strict=True):
        _panel(ax, run, shown(np.asarray(x, dtype=np.float64), log), log)
        if run.beside is not None and its is not None:
            beside = shown(run.beside.mean, log)
            ax.plot(shown(its, log), beside, color=SERIES[2], linewidth=1.5,
                    label=run.beside.name)  # fmt: skip
            if run.beside.bound is not None and np.isfinite(run.beside.bound).any():
                ax.plot(shown(its, log), shown(run.beside.bound, log), color=BOUND, linewidth=1.3,
                        linestyle=(0, (5, 2)), label=run.beside.bound_label)  # fmt: skip
        if log:
            logarithmic(ax)
        ax.set_xlabel(label)
    _write_order(panels[0], run)
    panels[0].set_ylabel(run.label)
    handles, names = panels[0].get_legend_handles_labels()
    figure.legend(handles, names, loc="lower center", ncols=_NAMES_A_LINE)
    figure.suptitle(run.title, fontsize=11, color=INK)
    _place(figure, -(-len(names) // _NAMES_A_LINE))
    return figure


def _write_order(ax: Axes, run: RunCurves) -> None:
    """The order of the bound, above the middle of what of it can be seen; below it where the axes
    end above."""
    if run.bound is None or not run.bound_order:
        return
    seen = np.flatnonzero(np.isfinite(run.bound) & (run.bound > 0) & (run.steps > 0))
    if len(seen) > 1:
        falls = run.bound[seen[-1]] <= run.bound[seen[0]]
        middle = seen[np.argmin(np.abs(np.log(run.steps[seen] / run.steps[seen[-1]] ** 0.5)))]
        ax.autoscale_view()  # else the axes are still those of before
        place = ax.transData.transform((run.steps[middle], run.bound[middle]))
        below = ax.transAxes.inverted().transform(place)[1] > _TOP
        ax.annotate(
            as_mathtext(run.bound_order), (run.steps[middle], run.bound[middle]), color=BOUND,
            xytext=(4, -3 if below else 3), textcoords="offset points",
            ha="left" if falls != below else "right", va="top" if below else "bottom",
            fontsize=9, zorder=4, annotation_clip=False,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )  # fmt: skip


def _place(figure: Figure, lines: int) -> None:
    """Fixed margins around the panels, with ``lines`` of legend below: to fit them to the words, as
    a constrained layout does, takes two fifths of the time of drawing."""
    width, height = figure.get_size_inches()
    figure.subplots_adjust(
        left=_LEFT / width, right=1 - _RIGHT / width, top=1 - _ABOVE / height,
        bottom=(_BELOW + _LINE * lines) / height, wspace=0.08,
    )  # fmt: skip


def _across(run: RunCurves) -> tuple[Floats, Floats, Floats | None]:
    """Steps, megabits and seconds of a run."""
    return run.steps, run.bits / 1e6, run.seconds


def _panel(ax: Axes, run: RunCurves, x: Floats, log: bool) -> None:
    if np.isfinite(run.low).any():
        ax.fill_between(
            x,
            shown(run.low, log),
            shown(run.high, log),
            color=MEASURED,
            alpha=0.2,
            linewidth=0,
            label=run.band,
        )
    ax.plot(x, shown(run.mean, log), color=MEASURED, linewidth=1.5, label=run.name)
    if run.bound is not None and np.isfinite(run.bound).any():
        ax.plot(x, shown(run.bound, log), color=BOUND, linewidth=1.3, linestyle=(0, (5, 2)),
                label=run.bound_label)  # fmt: skip
    ax.grid(True, color=FAINT, alpha=0.3)
