"""Mean seconds of an update, and what counts in it, against ``theory.seconds.step_times``: every
barrier
beyond BSP, backup workers and asynchronous ones, which
:mod:`proofs_check.closed_forms.synchronous.barriers` has.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

from algorithms.key import Key
from algorithms.synchronisation.barriers import Deadline, PartialBarrier, RoundRobin
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.compute_times import Constant, Exponential, ShiftedExponential
from algorithms.synchronisation.schedule import Schedule
from proofs_check.instruments.evidence import identity, mean_value
from proofs_check.verdict import Verdict
from theory.seconds.step_times import StepTimes

_N, _TICKS, _SETTLED, _REPLICAS, _SEED = 5, 300, 100, 512, 151
_PROVENANCE = f"{_N} workers, {_REPLICAS} replicas, seed {_SEED}"
_SHIFTED, _LAW = ShiftedExponential(0.4, 1.6), StepTimes(0.4, 1.6)

Limit = Callable[[float], Barrier]


def _drawn(barrier: Barrier, times: ComputeTimes, n: int = _N) -> Schedule:
    return barrier.schedule(n, _TICKS, times, Key.seed(_SEED), torch.arange(_REPLICAS))


def deadline_seconds(build: Limit = Deadline) -> tuple[Verdict, ...]:
    """A deadline before, around and after the mean of a gradient; gradients in time."""
    verdicts = []
    for limit in (0.3, 0.9, 2.0, 5.0):
        schedule = _drawn(build(limit), _SHIFTED)
        arrived = (schedule.arrivals < _N).sum(-1).double().mean(0)
        for what, samples, expected in (
            ("seconds of an update", schedule.seconds[-1] / _TICKS, _LAW.deadline(_N, limit)),
            ("gradients of an update", arrived, _LAW.in_time(_N, limit)),
        ):
            verdicts.append(
                mean_value(
                    "backup-workers", f"deadline {limit} s: mean {what}", samples.numpy(),
                    expected, check="order statistics", provenance=_PROVENANCE,
                )
            )  # fmt: skip
    return tuple(verdicts)


def turn_seconds(barrier: Barrier | None = None) -> tuple[Verdict, ...]:
    """Round robin once settled, for two and more workers; exactly, for constant times."""
    turns, verdicts = barrier or RoundRobin(), []
    for n in (2, 3, 5):
        seconds = _drawn(turns, Exponential(1.5), n).seconds
        verdicts.append(
            mean_value(
                "r2sp", f"{n} workers in turn: mean seconds of an update",
                ((seconds[-1] - seconds[_SETTLED]) / (_TICKS - 1 - _SETTLED)).numpy(),
                StepTimes(0.0, 1.5).in_turn(n), check="stationary law", provenance=_PROVENANCE,
            )
        )  # fmt: skip
    whole = _drawn(turns, Constant(2.0)).seconds[_N - 1 :: _N, 0].diff()
    exact = identity(
        "r2sp", "constant times: a round takes one gradient", whole.numpy() / _N,
        StepTimes(2.0, 0.0).in_turn(_N), check="constant times", provenance=_PROVENANCE,
    )  # fmt: skip
    return (*verdicts, exact)


def partial_seconds(build: Callable[[int], Barrier] | None = None) -> tuple[Verdict, ...]:
    """A partial barrier without a bound on the delay, exponential times."""
    make = build or (lambda least: PartialBarrier(least, 10**6))
    return tuple(
        mean_value(
            "async-admm", f"S={least}: mean seconds of an update",
            (_drawn(make(least), Exponential()).seconds[-1] / _TICKS).numpy(),
            StepTimes().partial(_N, least), check="order statistics", provenance=_PROVENANCE,
        )
        for least in (1, 3, _N)
    )  # fmt: skip


def further_step_times() -> tuple[Verdict, ...]:
    """All of the above."""
    return (*deadline_seconds(), *turn_seconds(), *partial_seconds())


CLOSED_FORMS = (further_step_times,)
