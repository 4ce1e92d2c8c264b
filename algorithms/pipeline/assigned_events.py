"""Blocks of the ticks of a server whose models go to workers by a rule."""

from __future__ import annotations

from typing import Any, final

import torch

from algorithms.compressors.identity import Identity
from algorithms.kernels.assigned_events import ASSIGNED_EVENTS
from algorithms.kernels.row_parts import RowPart, ready
from algorithms.pipeline.base import Arrays, Place, Steps
from algorithms.pipeline.events import EventBlock, all_rows
from theory.stepsizes import Stepsize


@final
class AssignedEventBlock(EventBlock):
    """The state is an :class:`~..methods.stragglers.assigned_server.AssignedState`."""

    def __init__(self, place: Place, gradient: RowPart, step_rule: Stepsize) -> None:
        super().__init__(place, gradient, step_rule, {})
        self.parts = (
            ready(gradient.function, "gradient", self.dtype), gradient.numbers,
            Identity().bits(self.d, self.dtype),
        )  # fmt: skip
        self.ended = 0

    def tensors(self, state: Any) -> Arrays:
        return (all_rows(state.versions),)

    def run(self, arrays: Arrays, steps: Steps) -> int:
        kept, bill, arrivals, versions, fetches, _ = arrays
        self.ended = steps.t + steps.count
        found: int = ASSIGNED_EVENTS.for_dtype(self.dtype)(
            *self.parts, kept, bill, arrivals, versions, fetches, steps.gammas, steps.t,
            self.words(steps, "gradient"), steps.replicas,
        )  # fmt: skip
        return found

    def leave(self, arrays: Arrays, state: Any) -> Any:
        kept = torch.from_numpy(arrays[0]).view(state.versions.shape)
        return state._replace(versions=kept, newest=self.ended % kept.shape[-2])
