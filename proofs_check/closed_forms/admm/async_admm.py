"""Asynchronous consensus ADMM: the star's contraction, its minimiser, its partial barrier.

With one curvature a for all, stationarity of the local solve is y_i = -a (x_i - b_i), so the
workers' mean error shrinks by exactly rho/(a + rho) a step and the master's is 1 - a/rho times it.
A partial barrier bounds the delay (Zhang and Kwok 2014).
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from algorithms.methods.admm.admm_star import StarADMM
from algorithms.optimizers.proximal import SoftThreshold
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import PartialBarrier
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.compute_times import Constant, Exponential
from proofs_check.closed_forms.admm.solutions import STEP, WEIGHT, Change, N, minimiser, right
from proofs_check.closed_forms.synchronous.barriers import (
    WORKERS,
    drawn,
    harmonic,
    promise,
    same_as_bsp,
    step_seconds,
)
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict


def star_contraction(change: Change = right) -> Verdict:
    """One curvature: z_k - b = (1 - a/rho) (rho/(a + rho))^k (z_0 - b) for k >= 1, exactly."""
    a, steps = 0.5, 20
    b = torch.linspace(-1.0, 2.0, N, dtype=torch.float64)[:, None]
    x0 = torch.full((1,), 4.0, dtype=torch.float64)
    problem = Quadratic.from_arrays(torch.full_like(b, a), b, x0=x0)
    master = models(change(StarADMM(STEP, steps, Constant())), problem, steps)[:, 0, 0].numpy()
    powers = (1 / (a + 1)) ** np.arange(steps + 1) * (4.0 - b.mean().item())
    expected = b.mean().item() + np.where(np.arange(steps + 1) > 0, 1 - a, 1.0) * powers
    return identity(
        "async-admm", "synchronous: z_k - b = (1 - a/rho) (rho/(a+rho))^k (z_0 - b)", master,
        expected,
        check="closed form", problem=problem.name, provenance=f"a = {a}, rho = 1, {N} workers",
    )  # fmt: skip


def star(change: Change = right) -> Verdict:
    """Asynchronous consensus ADMM under a partial barrier, with l1."""
    times, l1 = Exponential(), SoftThreshold(WEIGHT)
    make = StarADMM(STEP, 600, times, PartialBarrier(2, 6), l1)
    return minimiser("async-admm", lambda: change(make), 600, WEIGHT)


def delay_bound(
    build: Callable[[int, int], Barrier] = PartialBarrier,
) -> tuple[Verdict, ...]:
    """A partial barrier: at least S arrivals, delay at most tau - 1."""
    verdicts = []
    for least, tau in ((1, 4), (3, 2), (4, 8)):
        schedules = drawn(build(least, tau))
        fewest = min(int((s.arrivals < WORKERS).sum(-1).min()) for s in schedules)
        oldest = max(s.tau for s in schedules)
        told = f"S={least}, tau={tau}"
        verdicts += [
            promise("async-admm", f"{told}: delay <= tau - 1", oldest, tau - 1, "delay bound"),
            promise("async-admm", f"{told}: S - arrivals <= 0", least - fewest, 0, "delay bound"),
        ]
    return tuple(verdicts)


def async_admm() -> tuple[Verdict, ...]:
    """The contraction, and the minimiser under a partial barrier."""
    return (star_contraction(), star())


def partial_barrier() -> tuple[Verdict, ...]:
    """Its promise, its limit of waiting for all, and its mean seconds."""
    seconds = step_seconds(
        PartialBarrier(2, 10**6), "async-admm", harmonic(N) - harmonic(N - 2), Exponential()
    )
    return (
        *delay_bound(), same_as_bsp(PartialBarrier(N, 3), "async-admm"), seconds,
    )  # fmt: skip


CLOSED_FORMS = (async_admm, partial_barrier)
