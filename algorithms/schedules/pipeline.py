"""PipeDream: a model in stages, microbatches one forward, one backward, weights stashed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import final

import numpy as np

from algorithms.schedules.step import TrainingStep
from algorithms.schedules.timeline import Task, TaskKind, Timeline
from theory.arrays import Floats


@final
@dataclass(frozen=True)
class PipelineSchedule:
    """1F1B (Narayanan et al. 2019, PipeDream, SOSP; arXiv:1806.03377).

    Stage s of S begins with S - s forward passes, then takes backward and forward passes in turn.
    Without a flush a stage updates its weights after every backward pass; a microbatch's backward
    pass uses the weights that its forward pass used, so that stage s stashes S - s versions.

    Attributes:
        forward: seconds of a microbatch's forward pass on each stage.
        backward: seconds of its backward pass on each stage.
        microbatches: how many pass.
        transfer: seconds of activations, or their gradients, between neighbours; both directions
            of a link are free of each other and of the stages.

    Raises:
        ValueError: no stage, unequal lengths, a negative time or no microbatch.
    """

    forward: tuple[float, ...]
    backward: tuple[float, ...]
    microbatches: int
    transfer: float = 0.0

    def __post_init__(self) -> None:
        if not self.forward or len(self.forward) != len(self.backward):
            raise ValueError(
                "forward and backward must have one entry a stage, got "
                f"{len(self.forward)} and {len(self.backward)}"
            )
        if not all(x >= 0 for x in (*self.forward, *self.backward, self.transfer)):
            raise ValueError("forward, backward and transfer must be at least 0 s")
        if self.microbatches < 1:
            raise ValueError(f"microbatches must be at least 1, got {self.microbatches}")

    @property
    def name(self) -> str:
        """Name in tables and figures."""
        return f"1F1B, {self.stages} stages, {self.microbatches} microbatches"

    @property
    def stages(self) -> int:
        """S, the number of stages."""
        return len(self.forward)

    def order(self, stage: int) -> tuple[tuple[TaskKind, int], ...]:
        """Order of a stage's work: forward or backward, and of which microbatch."""
        warm = min(self.stages - stage, self.microbatches)
        turns = [(TaskKind.FORWARD, i) for i in range(warm)]
        for i in range(self.microbatches):
            turns.append((TaskKind.BACKWARD, i))
            if warm + i < self.microbatches:
                turns.append((TaskKind.FORWARD, warm + i))
        return tuple(turns)

    def timeline(self) -> Timeline:
        """Every pass of every microbatch, on the resources ``stage 0``, ``stage 1``, ..."""
        tasks: list[Task] = []
        ends: dict[tuple[TaskKind, int, int], float] = {}
        turns = [list(self.order(stage)) for stage in range(self.stages)]
        free = [0.0] * self.stages
        while any(turns):
            for stage in range(self.stages):
                while turns[stage]:
                    kind, i = turns[stage][0]
                    there = self._there(ends, kind, i, stage)
                    if there is None:
                        break
                    del turns[stage][0]
                    spent = (self.forward if kind is TaskKind.FORWARD else self.backward)[stage]
                    start = max(free[stage], there)
                    free[stage] = ends[kind, i, stage] = start + spent
                    tasks.append(Task(str(i), kind, f"stage {stage}", start, free[stage]))
        return Timeline(self.name, tuple(tasks))

    def versions(self) -> tuple[int, ...]:
        """Versions of the weights in use on each stage at once, counted along the timeline: one for
        each microbatch whose forward pass began and whose backward pass is not done."""
        most = []
        for stage in range(self.stages):
            held = np.cumsum([1 if k is TaskKind.FORWARD else -1 for k, _ in self.order(stage)])
            most.append(int(held.max()))
        return tuple(most)

    def _there(
        self, ends: dict[tuple[TaskKind, int, int], float], kind: TaskKind, i: int, stage: int
    ) -> float | None:
        """Arrival time of its input; None: not known yet."""
        last = self.stages - 1
        if kind is TaskKind.FORWARD:
            if stage == 0:
                return 0.0
            source = (TaskKind.FORWARD, i, stage - 1)
        elif stage == last:
            return ends.get((TaskKind.FORWARD, i, stage))
        else:
            source = (TaskKind.BACKWARD, i, stage + 1)
        return ends[source] + self.transfer if source in ends else None


def pipeline_of(
    step: TrainingStep, stages: int, microbatches: int, transfer: float = 0.0
) -> PipelineSchedule:
    """A model's layers in stages that are balanced by what they compute.

    Args:
        step: one microbatch through the whole model, on one device.
        stages: how many devices.
        microbatches: how many pass.
        transfer: seconds between neighbours.

    Raises:
        ValueError: not between 1 stage and as many as there are layers, or no microbatch.
    """
    spent = np.array([step.forward, step.backward])
    sizes = balanced_stages(spent.sum(axis=0).tolist(), stages)
    begins = np.concatenate(([0], np.cumsum(sizes)[:-1]))
    forward, backward = np.add.reduceat(spent, begins, axis=1).tolist()
    return PipelineSchedule(tuple(forward), tuple(backward), microbatches, transfer)


def balanced_stages(seconds: Sequence[float], stages: int) -> tuple[int, ...]:
    """Layers of each stage, consecutive, so that the slowest stage is fastest (PipeDream's
    partition without replication, by dynamic programming).

    Raises:
        ValueError: not between 1 stage and as many as there are layers.
    """
    layers = len(seconds)
    if not 1 <= stages <= layers:
        raise ValueError(f"stages must lie in [1, {layers}], got stages={stages}")
    sums = np.concatenate(([0.0], np.cumsum(np.asarray(seconds, dtype=np.float64))))
    worst: Floats = sums.copy()
    worst[0] = np.inf
    cuts = []
    for _ in range(stages - 1):
        slowest = np.maximum(worst[:, None], sums[None, :] - sums[:, None])
        slowest[np.tril_indices(layers + 1)] = np.inf
        cuts.append(slowest.argmin(axis=0))
        worst = slowest.min(axis=0)
    sizes, end = [], layers
    for cut in reversed(cuts):
        sizes.append(end - int(cut[end]))
        end = int(cut[end])
    return tuple(reversed([*sizes, end]))
