"""Deadlines, turns and partial barriers that take the wrong time for an update."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from algorithms.synchronisation.barriers import Asynchronous, Deadline, PartialBarrier
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.worker_states import Decision, WorkerStates
from proofs_check.closed_forms.admm.async_admm_seconds import partial_seconds
from proofs_check.closed_forms.synchronous.step_times import deadline_seconds, turn_seconds
from proofs_check.mutants.methods import MethodMutant, fault


@final
@dataclass(frozen=True)
class IdleDeadline(Barrier):
    """Waits for the deadline although all have arrived.

    Attributes:
        seconds: the deadline.
    """

    seconds: float

    @property
    def name(self) -> str:
        return f"idle deadline({self.seconds:g} s)"

    def decide(self, now: WorkerStates) -> Decision:
        right = Deadline(self.seconds).decide(now)
        return right._replace(now=np.maximum(right.now, now.now + self.seconds))


@final
@dataclass(frozen=True)
class PatientDeadline(Barrier):
    """Late workers go on with the gradient they have begun.

    Attributes:
        seconds: the deadline.
    """

    seconds: float

    @property
    def name(self) -> str:
        return f"patient deadline({self.seconds:g} s)"

    def decide(self, now: WorkerStates) -> Decision:
        right = Deadline(self.seconds).decide(now)
        return right._replace(fetched=right.arrived, started=right.arrived)


METHOD_MUTANTS: tuple[MethodMutant, ...] = (
    fault(
        "deadline that idles", "an update waits for the deadline although all are in",
        deadline_seconds, IdleDeadline,
    ),
    fault(
        "deadline that keeps late gradients", "late workers go on instead of starting afresh",
        deadline_seconds, PatientDeadline,
    ),
    fault(
        "turns taken by whoever is first", "no worker waits for its turn",
        turn_seconds, Asynchronous(),
    ),
    fault(
        "partial barrier of one too many", "an update waits for S + 1 arrivals",
        partial_seconds, lambda least: PartialBarrier(min(least + 1, 5), 10**6),
    ),
)  # fmt: skip
