"""Bits a coordinate against relative error: one operator among all others."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple, final

import numpy as np
from matplotlib.figure import Figure

from experiments.figures.style import BOUND, FAINT, MARKERS, MEASURED, SERIES, logarithmic


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


def tradeoff_figure(data: TradeoffCurves) -> Figure:
    """One log-log panel; an operator without error lies outside it and is named in the legend."""
    figure = Figure(figsize=(5.2, 3.9), layout="constrained")
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
    figure.legend(loc="outside lower center", ncols=2)
    return figure
