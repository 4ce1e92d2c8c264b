"""Bits a coordinate against relative error: one operator among all others."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.text import Annotation

from experiments.figures.style import (
    BOUND,
    FAINT,
    INK,
    MARKERS,
    MEASURED,
    SERIES,
    folded,
    logarithmic,
)


class Point(NamedTuple):
    """One operator: bits a coordinate, measured relative error, the claimed constant (or NaN).

    Attributes:
        name: the operator.
    """

    name: str
    bits: float
    error: float
    constant: float


@final
@dataclass(frozen=True)
class TradeoffCurves:
    """Points drawn: ``mine`` are the row's operators, ``others`` those of all other rows.

    Attributes:
        title: the title above the figure.
    """

    title: str
    mine: tuple[Point, ...]
    others: tuple[Point, ...]


_COLOURS = (MEASURED, *SERIES[2:])
_SMALL, _LETTERS = 8.0, 34  # points of a name, letters of a line
_GAP = 0.07  # of the panel, between names and points, whose numbers hang below them


def frontier(points: Iterable[Point]) -> tuple[Point, ...]:
    """Points that none of the others beats in bits and error at once, by bits; those that lie on
    each other are one with all their names."""
    names: dict[tuple[float, float], list[str]] = {}
    for one in points:
        names.setdefault((one.bits, one.error), []).append(one.name)
    found: list[Point] = []
    for bits, error in sorted(names):
        if not found or error < found[-1].error:
            here = dict.fromkeys(names[bits, error])
            found.append(Point(", ".join(here), bits, error, float("nan")))
    return tuple(found)


def tradeoff_figure(data: TradeoffCurves) -> Figure:
    """One log-log panel; an operator without error lies outside it and is named in the legend.

    Of the others those are numbered and named that need fewest bits for their error.
    """
    figure = Figure(figsize=(5.2, 4.6), layout="constrained")
    ax = figure.subplots()
    others = [p for p in data.others if p.error > 0]
    ax.plot([p.bits for p in others], [p.error for p in others], "o", color=FAINT, alpha=0.55,
            markersize=4, linewidth=0, label="all other operators")  # fmt: skip
    for number, p in enumerate(data.mine):
        colour = _COLOURS[number % len(_COLOURS)]
        marker = MARKERS[number // len(_COLOURS) % len(MARKERS)]
        if p.error > 0:
            ax.plot([p.bits], [p.error], marker, color=colour, markersize=7, label=p.name, zorder=3)
        else:
            ax.plot([], [], marker, color=colour, label=f"{p.name}: no error, {p.bits:.3g} bits")
        if np.isfinite(p.constant) and p.constant > 0:
            ax.plot([p.bits, p.bits], [max(p.error, 1e-12), p.constant], color=BOUND,
                    linewidth=1.1, zorder=2)  # fmt: skip
            ax.plot([p.bits], [p.constant], "_", color=BOUND, markersize=11, markeredgewidth=1.6,
                    label="" if number else "claimed for every x")  # fmt: skip
    logarithmic(ax)
    ax.set_xlabel("bits a coordinate, single precision")
    ax.set_ylabel(r"$E\|C(x)-x\|^2/\|x\|^2$, gaussian $x$")
    ax.set_title(data.title, wrap=True)
    ax.grid(True, color=FAINT, alpha=0.3)
    own = {(p.bits, p.error) for p in data.mine}
    best = frontier([*others, *(p for p in data.mine if p.error > 0)])
    names = _numbered(ax, [p for p in best if (p.bits, p.error) not in own])
    figure.legend(loc="outside lower center", ncols=2)
    _make_room(ax, names, [p for p in (*data.mine, *others) if p.error > 0])
    return figure


def _numbered(ax: Axes, best: Sequence[Point]) -> Annotation:
    """Numbers at these points, and their names below and left of them, where few points are."""
    if best:
        ax.plot(
            [p.bits for p in best], [p.error for p in best], "o", color=INK, markersize=4,
            linewidth=0, markerfacecolor="white", label="fewest bits for their error",
        )  # fmt: skip
    for number, p in enumerate(best, start=1):
        ax.annotate(f"{number}", (p.bits, p.error), xytext=(-2, -3), textcoords="offset points",
                    fontsize=_SMALL, ha="right", va="top")  # fmt: skip
    lines = [f"{number}  {folded(p.name, _LETTERS)}" for number, p in enumerate(best, start=1)]
    text = "\n".join(line.replace("\n", "\n    ") for line in lines)
    return ax.annotate(
        text, (0.02, 0.02), xycoords="axes fraction", fontsize=_SMALL, va="bottom",
        bbox={"facecolor": "white", "edgecolor": "none", "pad": 1.5},
    )  # fmt: skip


def _make_room(ax: Axes, names: Annotation, points: Iterable[Point]) -> None:
    """Let the panel begin so far down that no point lies among the names."""
    ax.figure.draw_without_rendering()  # type: ignore[union-attr]
    box = names.get_window_extent().transformed(ax.transAxes.inverted())
    places = ax.transData.transform([(p.bits, p.error) for p in points])
    across, up = ax.transAxes.inverted().transform(places).T
    above = box.y1 + _GAP
    lowest = float(up[across < box.x1 + _GAP].min(initial=1.0))
    if lowest < above:
        low, high = np.log10(ax.get_ylim())
        point = low + lowest * (high - low)
        ax.set_ylim(10 ** ((point - above * high) / (1 - above)), 10**high)
