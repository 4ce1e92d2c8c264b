"""``docs/rows.png``: speed of every row over plain SGD's at both sizes, of rows.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import seaborn
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

from experiments.figures.style import FAINT, INK, SERIES, png, styled
from experiments.storage.files import write_atomically

TARGET = Path(__file__).parents[1] / "docs" / "rows.png"

Found = dict[str, Any]
_COLOURS = (*SERIES, FAINT, "#6fb1e0")
_SMALL: dict[str, Any] = {"marker": "o", "markersize": 4.6}
_LARGE: dict[str, Any] = {"marker": "D", "markersize": 4.2, "markerfacecolor": "white"}
_HAND: dict[str, Any] = {"marker": "|", "markersize": 8, "markeredgewidth": 1.6}
_HEIGHT, _COLUMNS = 0.163, 3  # of a row [inch]


def figure(jobs: dict[str, Found]) -> Figure:
    """Columns of rows, fastest at the small size first."""
    small, large = (_by_key(jobs.get(name)) for name in ("small", "large"))
    order = sorted(small | large, key=lambda key: -_over(small, large, key))
    families = list(dict.fromkeys(one["family"] for one in (small | large).values()))
    hues = seaborn.husl_palette(max(0, len(families) - len(_COLOURS)), l=0.55)
    colours = dict(zip(families, (*_COLOURS, *hues.as_hex()), strict=False))
    deep = -(-len(order) // _COLUMNS)
    drawn = Figure(figsize=(4.6 * _COLUMNS, 1.6 + _HEIGHT * deep), layout="constrained")
    panels = drawn.subplots(1, _COLUMNS, sharex=True)
    for k, ax in enumerate(panels):
        _panel(ax, order[deep * k :][:deep], deep, (small, large), colours)
    drawn.supxlabel("worker-steps a second over those of bsp-sgd at the same size", fontsize=10)
    _legend(drawn, colours)
    return drawn


def _by_key(found: Found | None) -> dict[str, Found]:
    return {one["key"]: one for one in found["lines"] if one["over"]} if found else {}


def _over(small: dict[str, Found], large: dict[str, Found], key: str) -> float:
    return float((small.get(key) or large[key])["over"][0])


def _panel(
    ax: Axes, keys: list[str], count: int, jobs: tuple[dict[str, Found], ...],
    colours: dict[str, str],
) -> None:  # fmt: skip
    ax.axvline(1.0, color=INK, linewidth=0.8, linestyle=(0, (5, 2)), zorder=1)
    for place, key in enumerate(keys):
        points = [job.get(key) for job in jobs]
        for one, look in zip(points, (_SMALL, _LARGE), strict=True):
            if one:
                _row(ax, place, one, look, colours[one["family"]])
        ends = [one["over"][0] for one in points if one]
        ax.plot(ends, [place] * len(ends), color="#c9ccd0", linewidth=1.0, zorder=1)
    ax.set_xscale("log")
    ax.set_ylim(count - 0.4, -0.6)
    ax.set_yticks(range(len(keys)), keys, fontsize=8)
    for label, key in zip(ax.get_yticklabels(), keys, strict=True):
        label.set_color(colours[next(job[key]["family"] for job in jobs if key in job)])
    ax.tick_params(axis="y", length=0)


def _row(ax: Axes, place: int, one: Found, look: dict[str, Any], colour: str) -> None:
    """A row's mark, and that of its loop above or below it."""
    ax.plot(one["over"][0], place, color=colour, linestyle="", zorder=3, **look)
    if one["loop"]:
        at = one["over"][0] / one["over_loop"][0]
        filled = look is _SMALL
        ax.plot(at, place, color=INK if filled else FAINT, linestyle="", zorder=4, **_HAND)


def _legend(drawn: Figure, colours: dict[str, str]) -> None:
    """Families by colour, sizes and loops by shape."""
    shapes = (
        ("small, n = 8, d = 50", INK, _SMALL), ("large, n = 64, d = 1,000", INK, _LARGE),
        ("numpy loop, small", INK, _HAND), ("numpy loop, large", FAINT, _HAND),
    )  # fmt: skip
    marks = [Line2D([], [], color=c, linestyle="", label=text, **look) for text, c, look in shapes]
    bars = [Line2D([], [], color=c, linewidth=3, label=family) for family, c in colours.items()]
    deep = -(-len(bars) // len(marks))  # families below each mark, since legends fill columns
    handles = [one for k, mark in enumerate(marks) for one in (mark, *bars[deep * k :][:deep])]
    drawn.legend(handles=handles, loc="outside upper center", ncols=len(marks), fontsize=8.5)


def write(jobs: dict[str, Found]) -> None:
    """Draw and write the picture, if a size was measured."""
    if {"small", "large"} & set(jobs):
        with styled():
            write_atomically(TARGET, png(figure(jobs)))
