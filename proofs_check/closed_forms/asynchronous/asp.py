"""Asynchronous SGD: which version a gradient belongs to, its age, its seconds."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from algorithms.core.key import Key
from algorithms.methods.base import Method
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.synchronisation.barriers import Asynchronous
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.compute_times import Constant, Exponential
from proofs_check.closed_forms.asynchronous.replays import (
    TICKS,
    TIMES,
    TOLD,
    arrivals,
    drawn_gradient,
    ran,
    uneven,
)
from proofs_check.closed_forms.synchronous.barriers import (
    DRAWN_SEED,
    DRAWN_TICKS,
    WORKERS,
    step_seconds,
)
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

Build = Callable[[Any], Method[Any]]


def versions_are_read(build: Build = lambda asp: asp) -> Verdict:
    """ASP's gradients belong to the versions that its schedule names."""
    problem, gamma = uneven(), 0.1
    asp = ParameterServer(ConstantStep(gamma), TICKS, TIMES)
    x = [problem.start()]
    for t, (worker, version) in enumerate(arrivals(asp.schedule(5))):
        x.append(x[t] - gamma * drawn_gradient(problem, x[version], worker, t))
    return identity(
        "asp", "x_{t+1} = x_t - gamma g_i(x_v), v the version its schedule names",
        ran(build(asp), problem), torch.stack(x), check="replay of versions", problem="quadratic",
        provenance=TOLD,
    )  # fmt: skip


def equal_times_age(barrier: Barrier | None = None) -> Verdict:
    """Asynchronous workers of one constant speed: every gradient is n - 1 updates old."""
    schedule = (barrier or Asynchronous()).schedule(
        WORKERS, DRAWN_TICKS, Constant(), Key.seed(DRAWN_SEED), torch.arange(1)
    )
    return identity(
        "asp", "equal speeds: delay = n - 1", schedule.staleness[WORKERS:, 0, 0].numpy(),
        WORKERS - 1, check="delay", provenance="constant times",
    )  # fmt: skip


def asp() -> tuple[Verdict, ...]:
    """Versions, ages and seconds of an update."""
    seconds = step_seconds(Asynchronous(), "asp", 1 / WORKERS, Exponential())
    return (versions_are_read(), equal_times_age(), seconds)


CLOSED_FORMS = (asp,)
