"""``docs/scaling.png``: time of a worker-step against workers and dimension, of results.json."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from experiments.figures.style import FAINT, INK, MARKERS, SERIES, logarithmic, png, styled
from experiments.storage.files import write_atomically

TARGET = Path(__file__).parents[1] / "docs" / "scaling.png"


def figure(found: dict[str, Any]) -> Figure:
    """Two panels, log-log: medians with the least and the largest; 1 is linear growth."""
    drawn = Figure(figsize=(8.6, 3.7), layout="constrained")
    left, right = drawn.subplots(1, 2)
    _panel(left, found["against n"], found["caches"])
    _panel(right, found["against d"], found["caches"])
    left.set_xlabel(f"workers $n$, at $d$ = {found['d']:,}")
    left.set_ylabel(f"time of a worker-step, 1 at $n$ = {found['against n'][0]['base']}")
    right.set_xlabel(f"dimension $d$, at $n$ = {found['n']}")
    base = found["against d"][0]["base"]
    right.set_ylabel(f"time of a coordinate, 1 at $d$ = {base:,}")
    handles, labels = left.get_legend_handles_labels()
    drawn.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return drawn


def _panel(ax: Axes, lines: list[dict[str, Any]], caches: dict[str, int]) -> None:
    ax.axhline(1.0, color=INK, linewidth=0.8, linestyle=(0, (5, 2)), zorder=1)
    for number, line in enumerate(lines):
        at = [point["at"] for point in line["points"]]
        median, least, most = zip(*(point["relative"] for point in line["points"]), strict=True)
        colour = SERIES[number]
        ax.fill_between(at, least, most, color=colour, alpha=0.18, linewidth=0)
        ax.plot(
            at, median, color=colour, marker=MARKERS[number], markersize=4, linewidth=1.3,
            label=line["method"],
        )  # fmt: skip
    logarithmic(ax)
    _mark_caches(ax, lines[0]["points"], caches)


def _mark_caches(ax: Axes, points: list[dict[str, Any]], caches: dict[str, int]) -> None:
    """Where the samples of all workers are as large as a cache."""
    each = points[-1]["bytes"] / points[-1]["at"]
    for level, size in caches.items():
        where = size / each
        if points[0]["at"] < where < points[-1]["at"]:
            ax.axvline(where, color=FAINT, linewidth=0.9, zorder=0)
            ax.annotate(
                level, (where, 1.0), xycoords=("data", "axes fraction"), xytext=(2, -9),
                textcoords="offset points", color=FAINT, fontsize=8.5,
            )  # fmt: skip


def write(found: dict[str, Any]) -> None:
    """Draw and write the picture."""
    with styled():
        write_atomically(TARGET, png(figure(found)))
