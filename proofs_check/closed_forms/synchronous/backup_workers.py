"""Backup workers and deadlines: no delay, seconds of a step, noise of sampled workers.

(Chen et al. 2016, arXiv:1604.00981.)
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import torch

from algorithms.engine.run import run
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.barriers import BackupWorkers, Deadline
from algorithms.synchronisation.base import Barrier, ComputeTimes
from algorithms.synchronisation.compute_times import Exponential, ShiftedExponential
from proofs_check.closed_forms.synchronous.barriers import (
    DRAWN_REPLICAS,
    DRAWN_SEED,
    WORKERS,
    drawn,
    harmonic,
    promise,
    same_as_bsp,
    step_seconds,
)
from proofs_check.instruments.evidence import mean_value
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep


def no_delay(barrier: Barrier | None = None, row: str = "backup-workers") -> Verdict:
    """What counts was computed on the newest model."""
    barrier = barrier or BackupWorkers(2)
    worst = max(s.tau for s in drawn(barrier))
    return promise(row, f"{barrier.name}: delay = 0", worst, 0, "delay")


def within_deadline(build: Callable[[float], Barrier] = Deadline) -> Verdict:
    """Where several count, the update comes within the deadline of the last."""
    limit, worst = 0.7, 0.0
    for schedule in drawn(build(limit)):
        zero = torch.zeros(1, DRAWN_REPLICAS, dtype=torch.float64)
        steps = schedule.seconds.diff(dim=0, prepend=zero)
        several = (schedule.arrivals < WORKERS).sum(-1) > 1
        worst = max(worst, float(steps[several].amax()) if bool(several.any()) else 0.0)
    claim = f"updates of several within {limit} s"
    return promise("backup-workers", claim, worst, limit * (1 + 1e-12), "deadline")


def backup_seconds(build: Callable[[int], Barrier] = BackupWorkers) -> Verdict:
    """Exponential workers: H_n - H_b."""
    return step_seconds(build(2), "backup-workers", harmonic(WORKERS) - harmonic(2), Exponential())


def sampled_noise(times: ComputeTimes | None = None) -> tuple[Verdict, ...]:
    r"""The mean over the first n - b: unbiased, variance (sigma2 + b/(n-1) zeta2)/(n - b).

    One step of stepsize 1 from x_0 = x*: minus the gradient that was used. Only where the order of
    arrival is uniformly random.
    """
    replicas, spare = 4096, 2
    problem = Quadratic.strongly_convex(WORKERS, 8, zeta2=2.0, sigma2=1.0, R2=0.0)
    server = ParameterServer(
        ConstantStep(1.0), 1, times or Exponential(), BackupWorkers(spare), Weighting.ARRIVED,
        replicas=replicas,
    )  # fmt: skip
    used = -run(
        server, problem, steps=1, replicas=replicas, seed=DRAWN_SEED, points=2
    ).model.numpy()
    stated = server.barrier.constants(problem.constants(), Exponential())
    expected = stated.need("sigma2") / stated.need("n")
    told = f"{replicas} replicas, b={spare} of {WORKERS}, seed {DRAWN_SEED}"
    late = problem.c[-spare:].mean(0)  # where a server that never hears the last workers errs
    return (
        mean_value(
            "backup-workers", "E||g - grad f||^2 = (sigma2 + b/(n-1) zeta2)/(n - b)",
            np.square(used).sum(-1), expected, check="sampled workers", problem=problem.name,
            provenance=told,
        ),
        mean_value(
            "backup-workers", "E g = grad f along the last workers' offsets",
            used @ (late / late.norm()).numpy(), 0.0, check="sampled workers",
            problem=problem.name, provenance=told,
        ),
    )  # fmt: skip


def backup_workers() -> tuple[Verdict, ...]:
    """What is promised, and the limit of no backup."""
    return (
        no_delay(), no_delay(Deadline(0.7)), within_deadline(),
        same_as_bsp(BackupWorkers(0), "backup-workers"),
    )  # fmt: skip


def order_statistics() -> tuple[Verdict, ...]:
    """Seconds of a step, and the noise of sampled workers."""
    shifted = ShiftedExponential(0.5, 2.0)
    return (
        backup_seconds(),
        step_seconds(
            BackupWorkers(1), "backup-workers", 0.5 + 2 * (harmonic(WORKERS) - 1), shifted
        ),
        *sampled_noise(),
    )


CLOSED_FORMS = (backup_workers, order_statistics)
