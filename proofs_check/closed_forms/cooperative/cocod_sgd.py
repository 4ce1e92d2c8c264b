"""CoCoD-SGD: averages that arrive a period late, and its exact law on quadratics."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch

from algorithms.methods.base import Method
from algorithms.methods.cooperative.cocod import CoCoD
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.quadratic import Quadratic
from proofs_check.closed_forms.asynchronous.replays import uneven
from proofs_check.closed_forms.cooperative.replays import (
    GAMMA,
    STEP,
    TOLD,
    N,
    gradients,
    rows_along,
    same,
)
from proofs_check.closed_forms.local_updates.local_law import law_of_uneven_workers
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models
from proofs_check.verdict import Verdict
from theory.stepsizes import Stepsize

Build = Callable[[Any], Method[Any]]


def overlap_replay(build: Build = same) -> Verdict:
    """CoCoD-SGD: the mean is one period old, what was done meanwhile is kept."""
    problem, period = uneven(), 4
    x = [problem.start() for _ in range(N)]
    sent, due = list(x), [torch.stack(x)]
    for t in range(30):
        x = [xi - GAMMA * g for xi, g in zip(x, gradients(problem, x, t), strict=True)]
        if (t + 1) % period == 0:
            mean = torch.stack(sent).mean(0)
            x = [mean + (xi - yi) for xi, yi in zip(x, sent, strict=True)]
            sent = list(x)
        due.append(torch.stack(x))
    return identity(
        "cocod-sgd", "x_i = mean of the models sent a period ago + own progress since",
        rows_along(build(CoCoD(STEP, period)), problem, 30), torch.stack(due),
        check="replay of CoCoD-SGD", problem="quadratic",
        provenance=TOLD,
    )  # fmt: skip


def overlap_mean_is_bsp(build: Build = same) -> Verdict:
    """On a common Hessian the mean model of CoCoD-SGD is that of BSP-SGD, noise included."""
    problem = Quadratic.strongly_convex(N, 12, sigma2=1.0, zeta2=4.0)
    return identity(
        "cocod-sgd", "common Hessian: the mean model is BSP-SGD's",
        models(build(CoCoD(STEP, 4)), problem, 40, replicas=3),
        models(BSP(STEP), problem, 40, replicas=3), check="mean is BSP", problem="quadratic-sc",
        provenance=TOLD,
    )  # fmt: skip


def law_of_overlap(build: Callable[[Stepsize, int], Method[Any]] = CoCoD) -> tuple[Verdict, ...]:
    """Local SGD's exact moments where models restart from the old mean and their own progress."""
    return law_of_uneven_workers(build, overlapped=True, subject="cocod-sgd")


def cocod_sgd() -> tuple[Verdict, ...]:
    """A replay, and the mean of BSP-SGD on a common Hessian."""
    return (overlap_replay(), overlap_mean_is_bsp())


CLOSED_FORMS = (law_of_overlap, cocod_sgd)
