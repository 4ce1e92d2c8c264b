"""A barrier whose decisions are spoilt."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import final

from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.worker_states import Decision, WorkerStates

Spoil = Callable[[WorkerStates, Decision], Decision]


@final
@dataclass(frozen=True)
class SpoiltBarrier(Barrier):
    """Everything as in ``right``, whose decisions ``spoil`` changes."""

    right: Barrier
    spoil: Spoil

    @property
    def name(self) -> str:
        return f"spoilt {self.right.name}"

    def decide(self, now: WorkerStates) -> Decision:
        return self.spoil(now, self.right.decide(now))
