"""Timeline: which task runs on which resource, from when to when."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import NamedTuple, final


class TaskKind(StrEnum):
    """Kind of a task, for colours and traces."""

    FORWARD = "forward"
    BACKWARD = "backward"
    SELECTION = "selection"
    COMMUNICATION = "communication"


class Task(NamedTuple):
    """One piece of work.

    Attributes:
        name: the layer, or the tensors that a message holds.
        kind: what it does.
        resource: what it occupies; a resource does one thing at a time.
        start: when it begins [s].
        stop: when the resource is free again [s].
    """

    name: str
    kind: TaskKind
    resource: str
    start: float
    stop: float


@final
@dataclass(frozen=True)
class Timeline:
    """Tasks of one or more steps.

    Attributes:
        title: what pictures of it say.
        tasks: in any order.

    Raises:
        ValueError: no task, or one that stops before it starts.
    """

    title: str
    tasks: tuple[Task, ...]

    def __post_init__(self) -> None:
        if not self.tasks:
            raise ValueError(f"tasks must not be empty, timeline {self.title!r} has none")
        for task in self.tasks:
            if not task.stop >= task.start:
                raise ValueError(f"stop must not lie before start, got {task}")

    @property
    def seconds(self) -> float:
        """End time of the last task."""
        return max(task.stop for task in self.tasks)

    @property
    def resources(self) -> tuple[str, ...]:
        """In the order in which they first work."""
        firsts = sorted(self.tasks, key=lambda task: task.start)
        return tuple(dict.fromkeys(task.resource for task in firsts))

    def tasks_on(self, resource: str) -> tuple[Task, ...]:
        """Tasks of a resource by start."""
        mine = [task for task in self.tasks if task.resource == resource]
        return tuple(sorted(mine, key=lambda task: (task.start, task.stop)))

    def busy(self, resource: str) -> float:
        """Seconds that a resource works."""
        return sum(task.stop - task.start for task in self.tasks_on(resource))

    def conflicts(self, slack: float = 1e-12) -> tuple[tuple[Task, Task], ...]:
        """Pairs of tasks in a row that one resource would do at once, by more than ``slack`` of the
        end; a task that takes no time is in nobody's way."""
        least = slack * max(1.0, self.seconds)
        return tuple(
            (one, other)
            for resource in self.resources
            for one, other in pairwise(t for t in self.tasks_on(resource) if t.stop > t.start)
            if other.start < one.stop - least
        )
