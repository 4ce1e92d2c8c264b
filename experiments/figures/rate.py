"""One measured rate or effect: points with intervals, the fitted power law, theory's line."""

from __future__ import annotations

import re
from dataclasses import dataclass
from fractions import Fraction
from typing import final

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.patheffects import withStroke

from experiments.figures.indices import as_mathtext
from experiments.figures.style import (
    BOUND,
    FAINT,
    MEASURED,
    SERIES,
    folded,
    logarithmic,
    positive,
    raised,
    shown,
    ticks_at,
)
from proofs_check.curves import BAND
from theory.arrays import Floats


@final
@dataclass(frozen=True)
class RateCurves:
    """Curves of a figure; arrays ``[K]``.

    mean, low, high   measured at ``x``, with its interval
    fit               the fitted power law at ``x``
    reference         theory's line or exact curve, NaN where it says nothing
    groups            further measured points: label, their x, their y

    Attributes:
        title: the title above the figure.
        x_label: label of the x axis, with unit.
        y_label: label of the y axis, with unit.
        band: what the interval of the points is.
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
    band: str = BAND


_LETTER = re.compile(r"(?!a)[^\W\d_][²³₀-₉]?")
_OPERATIONS = {"/", "+", "-", "−", "·", "*"}
_STRAIGHT = 1e-6  # relative distance of theory's line from a power law, if it is one


def order_of(rate: RateCurves) -> str:
    """The power of x that theory's line is, ``∝ n⁻¹``; empty where it is none, or there is none."""
    if rate.reference is None:
        return ""
    seen = np.isfinite(rate.reference) & (rate.reference > 0) & (rate.x > 0)
    x, y = rate.x[seen], rate.reference[seen]
    if len(set(x.tolist())) < 2:
        return ""
    log_x, log_y = np.log(x), np.log(y)
    power, offset = np.polyfit(log_x, log_y, 1)
    if np.abs(power * log_x + offset - log_y).max() > _STRAIGHT:
        return ""
    exact = Fraction(float(power)).limit_denominator(6)
    description = str(exact) if abs(power - exact) < _STRAIGHT else f"{power:.2f}"
    return (
        "constant"
        if description == "0"
        else f"∝ {_variable(rate.x_label)}{'' if description == '1' else raised(description)}"
    )


def _variable(label: str) -> str:
    """Variable of an axis: the letter or formula that its label ends with, units and settings
    apart, else the one letter among its words; a label of one word is that word itself."""
    words = re.sub(r"[\[(].*", "", label).split()
    formula: list[str] = []
    for word in reversed(words):
        operand = len(formula) % 2 == 0
        if (len(word) > 2 and not word.isnumeric()) if operand else word not in _OPERATIONS:
            break
        formula.insert(0, word)
    if len(formula) % 2 == 0:
        formula = formula[1:]
    if not formula:
        letters = words if len(words) == 1 else [word for word in words if _LETTER.fullmatch(word)]
        return letters[0] if len(letters) == 1 else "x"
    return formula[0] if len(formula) == 1 else f"({' '.join(formula)})"


def rate_figure(rate: RateCurves) -> Figure:
    """One panel, log-log where all is positive."""
    figure = Figure(figsize=(5.2, 3.7), layout="constrained")
    ax = figure.subplots()
    spread = bool(rate.x.size > 1 and np.nanmin(rate.x) > 0)
    log = bool(np.nanmax(rate.mean) > 0)
    _measured(ax, rate, log)
    for number, (label, x, y) in enumerate(rate.groups):
        colour = SERIES[2 + number % (len(SERIES) - 2)]
        ax.plot(
            x, shown(y, log), "s", color=colour, markersize=3.5, label=as_mathtext(label), zorder=1
        )
    if rate.fit is not None:
        ax.plot(rate.x, shown(rate.fit, log), color=MEASURED, linewidth=1.1, label=_fitted(rate))
    if rate.reference is not None and np.isfinite(rate.reference).any():
        ax.plot(rate.x, shown(rate.reference, log), color=BOUND, linewidth=1.2,
                linestyle=(0, (5, 2)), label="theory")  # fmt: skip
        _write_order(ax, rate)
    logarithmic(ax, x=spread, y=log)
    if spread:
        ticks_at(ax, rate.x.tolist())
    ax.set_xlabel(folded(rate.x_label))
    ax.set_ylabel(folded(rate.y_label))
    ax.set_title(as_mathtext(rate.title), wrap=True)
    ax.grid(True, color=FAINT, alpha=0.3)
    handles, labels = ax.get_legend_handles_labels()
    columns = 3 if len(labels) != 4 else 2
    figure.legend(handles[::-1], labels[::-1], loc="outside lower center", ncols=columns)
    return figure


def _fitted(rate: RateCurves) -> str:
    """The fitted power law with its power, ``fitted power law, n^-0.98``."""
    assert rate.fit is not None
    seen = (rate.fit > 0) & (rate.x > 0)
    if len({*rate.x[seen].tolist()}) < 2:
        return "fitted power law"
    power = np.polyfit(np.log(rate.x[seen]), np.log(rate.fit[seen]), 1)[0]
    return as_mathtext(f"fitted power law, {_variable(rate.x_label)}^{power:.2f}")


def _write_order(ax: Axes, rate: RateCurves) -> None:
    """The order beside the middle of theory's line, on the side away from the measured points."""
    order = order_of(rate)
    if not order:
        return
    assert rate.reference is not None
    drawn = np.flatnonzero(np.isfinite(positive(rate.reference)))
    first, middle, last = drawn[[0, len(drawn) // 2, -1]]
    over = order == "constant" or bool(np.nanmean((rate.mean - rate.reference)[drawn]) <= 0)
    falls = bool(rate.reference[last] <= rate.reference[first])
    side = "left" if falls == over else "right"
    ax.annotate(
        as_mathtext(order), (rate.x[middle], rate.reference[middle]),
        xytext=(5 if side == "left" else -5, 4 if over else -4), textcoords="offset points",
        ha=side, va="bottom" if over else "top", color=BOUND, fontsize=9, zorder=4,
        path_effects=[withStroke(linewidth=2.5, foreground="white")],
    )  # fmt: skip


def _measured(ax: Axes, rate: RateCurves, log: bool) -> None:
    """Points with their interval as a band: seaborn is given each one's ends and its mean, which
    is their median, and the range of the three is the band."""
    import seaborn as sns  # a second to load, for the figures that are drawn with it alone

    most = 0.999 * np.abs(rate.mean) if log else None
    below = np.clip(np.nan_to_num(rate.mean - rate.low), 0, most)
    above = np.clip(np.nan_to_num(rate.high - rate.mean), 0, None)
    ends = shown(np.concatenate((rate.mean - below, rate.mean, rate.mean + above)), log)
    sns.lineplot(
        x=np.tile(rate.x, 3), y=ends, ax=ax, estimator="median", errorbar=("pi", 100),
        color=MEASURED, linestyle="", marker="o", markersize=4.5, markeredgewidth=0,
        err_kws={"alpha": 0.2, "linewidth": 0}, label="measured mean", legend=False,
    )  # fmt: skip
    if (rate.high > rate.low).any():
        ax.collections[-1].set_label(rate.band)
