"""LanePanel: what a check leaves for a picture of tasks on resources, a lane for each resource."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from algorithms.schedules.timeline import Timeline
from theory.arrays import Floats


@final
@dataclass(frozen=True, eq=False)
class LanePanel:
    """Bars in lanes, ``[K]`` each; plain data, stored like all curves.

    Attributes:
        title: what the picture shows.
        lanes: names of the lanes, from top to bottom.
        kinds: names of the kinds of bars.
        lane: index of each bar's lane.
        kind: index of each bar's kind.
        start: where it begins [s].
        stop: where it ends [s].

    Raises:
        ValueError: a bar without its lane, kind, start or stop.
    """

    title: str
    lanes: tuple[str, ...]
    kinds: tuple[str, ...]
    lane: Floats
    kind: Floats
    start: Floats
    stop: Floats

    def __post_init__(self) -> None:
        shapes = {x.shape for x in (self.lane, self.kind, self.start, self.stop)}
        if len(shapes) != 1 or self.lane.ndim != 1:
            raise ValueError(f"lane, kind, start and stop must be 1-D and alike, got {shapes}")


def lane_panel(line: Timeline, title: str = "") -> LanePanel:
    """The tasks of a timeline as bars."""
    lanes = line.resources
    kinds = tuple(sorted({task.kind.value for task in line.tasks}))
    bars = [
        (lanes.index(task.resource), kinds.index(task.kind.value), task.start, task.stop)
        for task in line.tasks
    ]
    lane, kind, start, stop = np.asarray(bars, dtype=np.float64).T
    return LanePanel(title or line.title, lanes, kinds, lane, kind, start, stop)
