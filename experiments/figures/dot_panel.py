"""A table as a dot plot: published numbers as open diamonds, ours as dots, both written beside."""

from __future__ import annotations

import math

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import EngFormatter

from experiments.figures.reproduced import DotPanel, PublishedDot
from experiments.figures.style import BOUND, FAINT, INK, MEASURED, folded, logarithmic

_WIDE = 20.0  # numbers further apart than this are on a log axis
_SIGNS = {"<=": "≤", ">=": "≥", "^2": "²", "||": "‖", "sqrt(": "√("}


def draw_dots(ax: Axes, panel: DotPanel) -> None:
    """Draw the table's lines from the top down."""
    places = np.arange(len(panel.dots))[::-1]
    for place, dot in zip(places, panel.dots, strict=True):
        if math.isfinite(dot.published) and math.isfinite(dot.ours):
            ax.plot([dot.published, dot.ours], [place, place], color=FAINT, linewidth=1.2, zorder=1)
        if math.isfinite(dot.low) and math.isfinite(dot.high):
            ax.plot([dot.low, dot.high], [place, place], color=MEASURED, linewidth=2.2, zorder=2)
        ax.plot([dot.published], [place], "D", color=BOUND, markerfacecolor="none",
                markersize=7, markeredgewidth=1.4, zorder=4)  # fmt: skip
        ax.plot([dot.ours], [place], "o", color=MEASURED, markersize=4.5, zorder=3)
        ax.annotate(_described(dot), (1.02, place), xycoords=("axes fraction", "data"), fontsize=8,
                    va="center", color=INK, annotation_clip=False)  # fmt: skip
    numbers = np.array([(dot.ours, dot.published) for dot in panel.dots], dtype=np.float64)
    finite = numbers[np.isfinite(numbers)]
    if finite.size and finite.min() > 0 and finite.max() / finite.min() > _WIDE:
        logarithmic(ax, y=False)
    elif finite.size and abs(finite).max() >= 1e5:
        ax.xaxis.set_major_formatter(EngFormatter())
    ax.set_yticks(places, [folded(signs(dot.name), 60) for dot in panel.dots])
    ax.set_ylim(-0.6, len(panel.dots) - 0.4)
    ax.set_xlabel(folded(panel.x_label))
    ax.set_title(panel.title, wrap=True)
    ax.grid(True, color=FAINT, alpha=0.3)


def signs(text: str) -> str:
    """Plain formulas with the signs that they stand for; what is typeset stays as it is."""
    if "$" in text:
        return text
    for plain, sign in _SIGNS.items():
        text = text.replace(plain, sign)
    return text


def _described(dot: PublishedDot) -> str:
    """Ours, and the published number in brackets."""
    said = f"({dot.sign}{_number(dot.published)})" if math.isfinite(dot.published) else ""
    return signs(f"{_number(dot.ours)}  {said}".strip() if math.isfinite(dot.ours) else said)


def _number(x: float) -> str:
    """Five digits; large whole numbers in full, in groups of three."""
    return f"{x:,.0f}" if 1e4 <= abs(x) < 1e12 and x % 1 == 0 else f"{x:.5g}"
