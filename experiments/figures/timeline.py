"""A timeline as a Gantt picture: a lane for each resource, a bar for each task."""

from __future__ import annotations

from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.patches import Patch

from algorithms.schedules.timeline import Task, TaskKind, Timeline
from experiments.figures.style import SERIES

_COLOURS = dict(zip(TaskKind, SERIES, strict=False))
_HEIGHT = 0.8


def timeline_figure(line: Timeline, title: str = "") -> Figure:
    """Lanes from top to bottom in the order in which resources first work; milliseconds."""
    lanes = {resource: i for i, resource in enumerate(line.resources)}
    figure = Figure(figsize=(7.2, 1.2 + 0.45 * len(lanes)), layout="constrained")
    ax = figure.subplots()
    for kind in TaskKind:
        bars = [_bar(task, lanes[task.resource]) for task in line.tasks if task.kind is kind]
        if bars:
            ax.add_collection(
                PolyCollection(
                    bars, facecolors=_COLOURS[kind], edgecolors="white", linewidths=0.2, alpha=0.9
                )
            )
    kinds = [kind for kind in TaskKind if any(task.kind is kind for task in line.tasks)]
    ax.legend(
        [Patch(color=_COLOURS[kind]) for kind in kinds], [kind.value for kind in kinds],
        loc="upper center", bbox_to_anchor=(0.5, -0.35), ncols=len(kinds),
    )  # fmt: skip
    ax.set_xlim(0.0, line.seconds * 1e3 or 1.0)
    ax.set_ylim(len(lanes) - 0.4, -0.6)
    ax.set_yticks(range(len(lanes)), list(lanes))
    ax.set_xlabel("ms")
    ax.set_title(title or line.title, loc="left")
    ax.grid(axis="y", visible=False)
    return figure


def _bar(task: Task, lane: int) -> list[tuple[float, float]]:
    left, right = task.start * 1e3, task.stop * 1e3
    low, high = lane - _HEIGHT / 2, lane + _HEIGHT / 2
    return [(left, low), (right, low), (right, high), (left, high)]
