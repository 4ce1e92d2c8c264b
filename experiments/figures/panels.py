"""A measured quantity against steps, bits and seconds, its bound beside it, and its replicas.

Where every step costs the same bits or seconds, a panel against these would show the curve against
steps again: that one says what a step costs instead.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from textwrap import fill
from typing import final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from experiments.figures.indices import as_mathtext
from experiments.figures.run_panels import (
    at_least_a_decade,
    bound_above,
    cost_of_a_step,
    distributed,
    draw_replicas,
)
from experiments.figures.style import BOUND, FAINT, INK, MEASURED, SERIES, logarithmic, shown
from theory.arrays import Floats, Ints

_NAMES_A_LINE = 3  # of the legend
_EACH, _ALONE, _NARROW = 3.3, 4.4, 1.1  # inches: of one of many panels, of one, of the replicas
_MARKS = 0.12  # of the panel between two marks of a second run, which tell it in grey
_SECOND = 1.3  # lines of legend that the second line of an axis label takes
_INNER = 0.3, 0.75  # shares of a logarithmic axis between which an order is written
_LETTER = 0.078  # inches: of the title
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
        ends: the quantity of each replica at the last record ``[R]``, or None.
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
    ends: Floats | None = None


def three_panels(run: RunCurves) -> Figure:
    """Log-log panels with shared y axis; the start (zero steps) has no place on a log axis.
    Beside them the distribution of the replicas at the end.

    Of a run that is exact after its first step nothing would be left: its axes are linear.
    """
    log = bool((run.mean[1:] > 0).any())
    labels = ("steps $t$", "sent and received per worker [Mbit]", f"{run.clock} [s]")
    other = (None,) * 3 if run.beside is None else _across(run.beside)
    drawn = [
        (label, x, its)
        for label, x, its in zip(labels, _across(run), other, strict=True)
        if x is run.steps or (x is not None and len(np.unique(x[x > 0])) > 1)
    ]
    beside = () if run.beside is None else (run.beside.mean[1:],)
    above = bound_above(run.bound, (run.mean[1:], run.high[1:], *beside)) if log else ""
    run = replace(run, bound=None) if above else run
    costs = _costs(run)
    cost = f"(a step: {', '.join(costs.values())})" if costs else ""
    drawn = [one for one in drawn if labels.index(one[0]) not in costs]
    if cost:
        drawn[0] = (f"{labels[0]}\n{cost}", *drawn[0][1:])
    ends = distributed(run.ends, log)
    figure, panels = _laid_out(len(drawn), len(ends) > 0)
    for ax, (label, x, its) in zip(panels, drawn, strict=False):
        _panel(ax, run, shown(np.asarray(x, dtype=np.float64), log), log)
        if run.beside is not None and its is not None:
            ax.plot(
                shown(its, log), shown(run.beside.mean, log), color=SERIES[2], linewidth=1.5,
                marker="s", markersize=3.5, markevery=_MARKS, label=run.beside.name,
            )  # fmt: skip
            if run.beside.bound is not None and np.isfinite(run.beside.bound).any():
                ax.plot(shown(its, log), shown(run.beside.bound, log), color=BOUND, linewidth=1.3,
                        linestyle=(0, (5, 2)), label=run.beside.bound_label)  # fmt: skip
        if log:
            if above:
                at_least_a_decade(ax)
            logarithmic(ax)
        ax.set_xlabel(label)
    _write_order(panels[0], run)
    if above:
        panels[0].set_title(f"▲ {above}", fontsize=9, color=BOUND, loc="left", y=0.97, va="top")
    panels[0].set_ylabel(run.label)
    handles, names = panels[0].get_legend_handles_labels()
    columns = 1 if len(drawn) == 1 else _NAMES_A_LINE
    figure.legend(handles, names, loc="lower center", ncols=columns)
    title = fill(run.title, round(figure.get_figwidth() / _LETTER))
    figure.suptitle(title, fontsize=11, color=INK)
    below = -(-len(names) // columns) + _SECOND * bool(cost or len(ends))
    _place(figure, below, title.count("\n"))
    if len(ends):
        draw_replicas(panels[-1], ends, None if run.bound is None else float(run.bound[-1]))
    return figure


def _costs(run: RunCurves) -> dict[int, str]:
    """Bits (1) and seconds (2) of a step in words, each where all steps of all that is drawn cost
    the same."""
    runs = [run] if run.beside is None else [run, run.beside]
    told = {}
    for k, unit in ((1, "Mbit"), (2, "s")):
        spent = [x for one in runs if (x := _across(one)[k]) is not None]
        if not any(x.any() for x in spent):
            continue
        one = None
        if len(spent) == len(runs):
            one = cost_of_a_step([each.steps for each in runs], spent)
        if one is not None:
            told[k] = f"{one:.3g} {unit}"
    return told


def _laid_out(count: int, replicas: bool) -> tuple[Figure, list[Axes]]:
    """A figure of ``count`` panels and, narrow, one of ``replicas``."""
    wide = _ALONE if count == 1 else _EACH * count
    figure = Figure(figsize=(wide + 0.4 + _NARROW * replicas, 2.9))
    ratios = [wide / count] * count + [_NARROW] * replicas
    return figure, list(
        figure.subplots(1, len(ratios), sharey=True, squeeze=False, width_ratios=ratios)[0]
    )


def _write_order(ax: Axes, run: RunCurves) -> None:
    """The order of the bound, above it where what is measured is farthest; below it where the axes
    end above."""
    if run.bound is None or not run.bound_order:
        return
    seen = np.flatnonzero(np.isfinite(run.bound) & (run.bound > 0) & (run.steps > 0))
    if len(seen) > 1:
        falls = run.bound[seen[-1]] <= run.bound[seen[0]]
        middle = seen[_freest(run, seen)]
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


def _freest(run: RunCurves, seen: Ints) -> int:
    """Which of the records ``seen``, in the middle of the axis, has the measured curve farthest."""
    across = np.log(run.steps[seen]) / np.log(max(float(run.steps[seen[-1]]), 2.0))
    inner = (across >= _INNER[0]) & (across <= _INNER[1])
    with np.errstate(divide="ignore", invalid="ignore"):
        apart = np.abs(np.log(run.bound[seen] / run.mean[seen]))  # type: ignore[index]
    apart = np.where(inner & np.isfinite(apart), apart, -np.abs(across - 0.5))
    return int(np.argmax(apart))


def _place(figure: Figure, lines: float, above: int) -> None:
    """Fixed margins around the panels, ``lines`` of words below and further ones ``above``: to fit
    them to the words, as a constrained layout does, takes two fifths of the time of drawing."""
    width, height = figure.get_size_inches()
    height += _LINE * (max(0, lines - 1) + above)
    figure.set_figheight(height)
    figure.subplots_adjust(
        left=_LEFT / width, right=1 - _RIGHT / width, top=1 - (_ABOVE + _LINE * above) / height,
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
