"""Error against the number of workers at equal bits: one method among all, or families of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from experiments.figures.style import BOUND, FAINT, MARKERS, MEASURED, SERIES, logarithmic, positive
from theory.arrays import Floats


class WorkersLine(NamedTuple):
    """One method: workers, mean error, and its interval.

    Attributes:
        name: the method.
        x: numbers of workers.
        low: lower end of the interval.
        high: upper end of the interval.
    """

    name: str
    x: Floats
    mean: Floats
    low: Floats
    high: Floats


@final
@dataclass(frozen=True)
class WorkerCurves:
    """Curves drawn: panels of (title, lines in colour); all lines make grey bands in each.

    Attributes:
        y_label: label of the y axis, with unit.
        all_lines: every line, for the grey bands.
    """

    title: str
    y_label: str
    panels: tuple[tuple[str, tuple[WorkersLine, ...]], ...]
    all_lines: tuple[WorkersLine, ...]


_COLUMNS = 3
_NAMES, _LINE = 3, 0.17  # names across a panel, below it; inches of a line of them
_AROUND = 1e3  # how far from a single line, as a factor, grey ones are in view
_FEW = 0.1  # share of errors that may lie below the axis of many panels
_MANY = 8  # methods of which the middle is told
_MIDDLES = ((0.45, 0.2), (0.25, 0.35))  # halves of the shares in a band, and its strength
_SOLVED = 1e-20  # errors below this are rounding: named in the legend, not drawn


def workers_figure(data: WorkerCurves) -> Figure:
    """Log-log panels with common axes; the dashed line falls as 1/n."""
    columns = min(_COLUMNS, len(data.panels))
    rows = -(-len(data.panels) // columns)
    single = len(data.panels) == 1
    names = max(len(lines) for _, lines in data.panels)
    least = 0.0 if single else _least(data.all_lines)
    height = 3.9 if single else rows * (3.2 + _LINE * -(-names // _NAMES))
    size = (5.2 if single else 4.1 * columns, height)
    figure = Figure(figsize=size, layout="constrained")
    axes = figure.subplots(rows, columns, sharey=True, squeeze=False)
    for ax in axes.flat[len(data.panels) :]:
        ax.set_visible(False)
    for ax, (title, lines) in zip(axes.flat, data.panels, strict=False):
        _panel(ax, lines, data.all_lines, least)
        ax.set_title(title, wrap=True)
        if single:
            ax.legend(fontsize=7, ncols=2)
        else:  # below, where no line is
            ax.legend(fontsize=7, ncols=_NAMES, loc="upper center", bbox_to_anchor=(0.5, -0.2),
                      borderaxespad=0.0, columnspacing=1.0)  # fmt: skip
    if single and len(data.panels[0][1]) == 1 and not _solved(data.panels[0][1][0]):
        _around(axes[0, 0], data.panels[0][1][0])
    if least > 0:
        axes[0, 0].set_ylim(bottom=least)
    for ax in axes[:, 0]:
        ax.set_ylabel(data.y_label)
    for ax in axes.flat:
        ax.set_xlabel("workers $n$")
    if not single:
        figure.suptitle(data.title, fontsize=11)
    return figure


def _least(lines: tuple[WorkersLine, ...]) -> float:
    """Lower end of the axis of many panels: a few methods that are nearly exact would press all
    others flat."""
    seen = np.concatenate([line.mean for line in lines if not _solved(line)] or [np.ones(1)])
    seen = seen[np.isfinite(seen) & (seen > 0)]
    return float(np.quantile(seen, _FEW) / 10) if len(seen) else 0.0


def _panel(
    ax: Axes, lines: tuple[WorkersLine, ...], everything: tuple[WorkersLine, ...], least: float
) -> None:
    _background(ax, everything)
    for number, line in enumerate(lines):
        colour = MEASURED if len(lines) == 1 else SERIES[number % len(SERIES)]
        marker = MARKERS[number // len(SERIES) % len(MARKERS)]
        if _solved(line):
            ax.plot([], [], " ", label=f"{line.name}: solved, below {_SOLVED:g}")
            continue
        below = " ↓" if np.nanmax(line.mean) < least else ""
        ax.plot(line.x, positive(line.mean), color=colour, marker=marker, markersize=4,
                linewidth=1.3, label=line.name + below, zorder=3)  # fmt: skip
        if len(lines) == 1:
            ax.fill_between(line.x, positive(line.low), positive(line.high), color=colour,
                            alpha=0.2, linewidth=0)  # fmt: skip
    drawn = [line for line in lines if np.isfinite(line.mean).any() and not _solved(line)]
    top = [float(np.nanmax(line.mean)) for line in drawn]
    if lines and top:
        x = lines[0].x
        ideal = max(top) * x[0] / x
        ax.plot(x, ideal, color=BOUND, linewidth=1.0, linestyle=(0, (5, 2)))
        ax.annotate(
            "∝ n⁻¹", (x[len(x) // 2], ideal[len(x) // 2]), xytext=(-5, -4), ha="right", va="top",
            textcoords="offset points", color=BOUND, fontsize=9, zorder=4,
            path_effects=[withStroke(linewidth=2.5, foreground="white")],
        )  # fmt: skip
    logarithmic(ax)
    counts = sorted({float(n) for line in everything for n in line.x})
    ax.set_xticks(counts, [f"{n:g}" for n in counts])
    ax.grid(True, color=FAINT, alpha=0.3)


def _background(ax: Axes, everything: tuple[WorkersLine, ...]) -> None:
    """Where the errors of all methods lie at each number of workers: the middle half of them, and
    the middle nine tenths. A line each would be a hundred grey ones that nobody can tell apart."""
    errors: dict[float, list[float]] = {}
    for line in everything:
        for n, mean in zip(line.x.tolist(), positive(line.mean).tolist(), strict=True):
            if np.isfinite(mean) and not _solved(line):
                errors.setdefault(n, []).append(np.log10(mean))
    if max(map(len, errors.values()), default=0) < _MANY:
        return
    x = np.array(sorted(errors))
    for share, strength in _MIDDLES:
        low, high = (
            np.array([10 ** np.quantile(errors[n], q) for n in x])
            for q in (0.5 - share, 0.5 + share)
        )
        ax.fill_between(x, low, high, color=FAINT, alpha=strength, linewidth=0, zorder=1,
                        label=f"{2 * share:.0%} of all methods")  # fmt: skip


def _solved(line: WorkersLine) -> bool:
    """Whether all that is left of its errors is rounding."""
    known = line.mean[np.isfinite(line.mean)]
    return len(known) > 0 and bool(known.max() < _SOLVED)


def _around(ax: Axes, line: WorkersLine) -> None:
    """Look at the neighbourhood of one line: grey ones at rounding error would press it flat."""
    seen = line.mean[np.isfinite(line.mean) & (line.mean > 0)]
    if len(seen):
        low, high = ax.get_ylim()
        ax.set_ylim(max(low, seen.min() / _AROUND), min(high, seen.max() * _AROUND))
