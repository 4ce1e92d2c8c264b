"""Mean seconds of an update, and what counts in it, against ``theory.seconds.step_times``.

Deadlines (backup-workers) and turns (r2sp); partial barriers are in ``closed_forms.admm``.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from algorithms.core.key import Key
from algorithms.synchronisation.barriers import Deadline, RoundRobin
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.compute_times import Constant, Exponential, ShiftedExponential
from algorithms.synchronisation.schedule import Schedule
from proofs_check.instruments.evidence import identity, mean_value
from proofs_check.verdict import Verdict
from theory.seconds.step_times import StepTimes

COVERS = ("backup-workers", "r2sp")

N, TICKS, _SETTLED, _REPLICAS, _SEED = 5, 300, 100, 512, 151
PROVENANCE = f"{N} workers, {_REPLICAS} replicas, seed {_SEED}"
_SHIFTED, _LAW = ShiftedExponential(0.4, 1.6), StepTimes(0.4, 1.6)
Limit = Callable[[float], Barrier]


def drawn(barrier: Barrier, times: ComputeTimes, n: int = N) -> Schedule:
    """Its schedule for n workers, ``_REPLICAS`` times."""
    return barrier.schedule(n, TICKS, times, Key.seed(_SEED), torch.arange(_REPLICAS))


def deadline_seconds(build: Limit = Deadline) -> tuple[Verdict, ...]:
    """A deadline before, around and after the mean of a gradient; gradients in time."""
    verdicts = []
    for limit in (0.3, 0.9, 2.0, 5.0):
        schedule = drawn(build(limit), _SHIFTED)
        arrived = (schedule.arrivals < N).sum(-1).double().mean(0)
        for what, samples, expected in (
            ("seconds of an update", schedule.seconds[-1] / TICKS, _LAW.deadline(N, limit)),
            ("gradients of an update", arrived, _LAW.in_time(N, limit)),
        ):
            verdicts.append(
                mean_value(
                    "backup-workers", f"deadline {limit} s: mean {what}", samples.numpy(),
                    expected, check="order statistics", provenance=PROVENANCE,
                )
            )  # fmt: skip
    return tuple(verdicts)


def turn_seconds(barrier: Barrier | None = None) -> tuple[Verdict, ...]:
    """Round robin once settled, for two and more workers; exactly, for constant times."""
    turns, verdicts = barrier or RoundRobin(), []
    for n in (2, 3, 5):
        seconds = drawn(turns, Exponential(1.5), n).seconds
        verdicts.append(
            mean_value(
                "r2sp", f"{n} workers in turn: mean seconds of an update",
                ((seconds[-1] - seconds[_SETTLED]) / (TICKS - 1 - _SETTLED)).numpy(),
                StepTimes(0.0, 1.5).in_turn(n), check="stationary law", provenance=PROVENANCE,
            )
        )  # fmt: skip
    whole = drawn(turns, Constant(2.0)).seconds[N - 1 :: N, 0].diff()
    exact = identity(
        "r2sp", "constant times: a round takes one gradient", whole.numpy() / N,
        StepTimes(2.0, 0.0).in_turn(N), check="constant times", provenance=PROVENANCE,
    )  # fmt: skip
    return (*verdicts, exact)


def further_step_times() -> tuple[Verdict, ...]:
    """Mean seconds of an update with a deadline and in turns."""
    return (*deadline_seconds(), *turn_seconds())


CLOSED_FORMS = (further_step_times,)
