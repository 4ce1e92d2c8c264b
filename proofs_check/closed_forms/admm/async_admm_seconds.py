"""Mean seconds of an update under a partial barrier, against ``theory.seconds.step_times``."""

from __future__ import annotations

from collections.abc import Callable

from algorithms.synchronisation.barriers import PartialBarrier
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.closed_forms.synchronous.step_times import PROVENANCE, TICKS, N, drawn
from proofs_check.instruments.evidence import mean_value
from proofs_check.verdict import Verdict
from theory.seconds.step_times import StepTimes

COVERS = ("async-admm",)


def partial_seconds(build: Callable[[int], Barrier] | None = None) -> tuple[Verdict, ...]:
    """A partial barrier without a bound on the delay, exponential times."""
    make = build or (lambda least: PartialBarrier(least, 10**6))
    return tuple(
        mean_value(
            "async-admm", f"S={least}: mean seconds of an update",
            (drawn(make(least), Exponential()).seconds[-1] / TICKS).numpy(),
            StepTimes().partial(N, least), check="order statistics", provenance=PROVENANCE,
        )
        for least in (1, 3, N)
    )  # fmt: skip


CLOSED_FORMS = (partial_seconds,)
