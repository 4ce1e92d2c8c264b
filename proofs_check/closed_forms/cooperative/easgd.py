"""Elastic averaging: the law of mean and centre; independent replays, in step and asynchronous."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import torch

from algorithms.core.key import Key
from algorithms.methods.base import Method
from algorithms.methods.cooperative.easgd import EASGD, EASGDState
from algorithms.methods.cooperative.easgd_async import AsyncEASGD
from algorithms.problems.quadratic import Quadratic
from proofs_check.closed_forms.asynchronous.replays import (
    SEED,
    TICKS,
    arrivals,
    drawn_gradient,
    ran,
    uneven,
)
from proofs_check.closed_forms.cooperative.replays import (
    GAMMA,
    ONE,
    STEP,
    TIMES,
    TOLD,
    D,
    N,
    gradients,
    same,
)
from proofs_check.instruments.evidence import identity
from proofs_check.instruments.paths import models, path
from proofs_check.verdict import Verdict
from theory.rules.stability import Elastic

Build = Callable[[Any], Method[Any]]


def mean_and_centre(build: Build = same, alpha: float = 0.15, beta: float = 0.4) -> Verdict:
    """Deviations shrink by 1 - h - alpha, (xbar, c) moves by the 2x2 matrix, coordinatewise."""
    a = torch.linspace(0.3, 9.0, D, dtype=torch.float64)
    problem = Quadratic.from_arrays(a.expand(N, D), torch.zeros(N, D, dtype=torch.float64))
    x = torch.sin(torch.arange(N * D, dtype=torch.float64)).reshape(1, N, D)
    centre = torch.cos(torch.arange(D, dtype=torch.float64))[None, None]
    start = EASGDState(centre, x, torch.zeros_like(x))
    method = build(EASGD(STEP, alpha, beta))
    ends = [m.state for m in path(method, problem, 12, state=start)]
    maps = [Elastic(GAMMA * v, alpha, beta) for v in a.tolist()]
    got, due = [], []
    for t, end in enumerate(ends):
        mean = end.x.mean(1, keepdim=True)
        got.append(torch.cat(((end.x - mean)[0], mean[0], end.centre[0])).numpy())
        rows = (x - x.mean(1, keepdim=True))[0].numpy() * [m.deviation**t for m in maps]
        powers = [np.linalg.matrix_power(np.array(m.matrix), t) for m in maps]
        pair = np.concatenate((x.mean(1).numpy(), centre[0].numpy()))
        moved = np.stack([p @ pair[:, j] for j, p in enumerate(powers)], axis=1)
        due.append(np.concatenate((rows, moved)))
    return identity(
        "easgd", "deviations contract by 1 - eta a - alpha; (xbar, c) moves by the 2x2 matrix",
        np.stack(got), np.stack(due), check="2x2 matrix", problem="quadratic",
        provenance=TOLD,
    )  # fmt: skip


def elastic_replay(build: Build = same, momentum: float = 0.0, period: int = 3) -> Verdict:
    """EASGD and EAMSGD in step against Equations 5 and 6, one worker at a time."""
    problem, alpha = uneven(), 0.07
    x = [problem.start() for _ in range(N)]
    v = [torch.zeros(D, dtype=torch.float64) for _ in range(N)]
    centre, due = problem.start(), [problem.start()]
    for t in range(30):
        g = gradients(problem, [xi + momentum * vi for xi, vi in zip(x, v, strict=True)], t)
        v = [momentum * vi - GAMMA * gi for vi, gi in zip(v, g, strict=True)]
        pulls = [alpha * (xi - centre) * (t % period == 0) for xi in x]
        x = [xi - pull + vi for xi, pull, vi in zip(x, pulls, v, strict=True)]
        centre = centre + torch.stack(pulls).sum(0)
        due.append(centre)
    method = build(EASGD(STEP, alpha, period=period, momentum=momentum))
    return identity(
        "easgd", f"Equations 5 and 6 with H={period}, delta={momentum:g}",
        models(method, problem, 30, seed=SEED)[:, 0], torch.stack(due), check="replay of EASGD",
        problem="quadratic",
        provenance=TOLD,
    )  # fmt: skip


def asynchronous_replay(build: Build = same, momentum: float = 0.0, period: int = 2) -> Verdict:
    """Algorithms 1 and 2: every worker's own clock, the centre changed at once."""
    problem, alpha = uneven(), 0.2
    method = AsyncEASGD(STEP, TICKS, TIMES, alpha, period, momentum)
    plan = method.barrier.schedule(N, TICKS, TIMES, Key.seed(method.schedule_seed), ONE)
    x = [problem.start() for _ in range(N)]
    v = [torch.zeros(D, dtype=torch.float64) for _ in range(N)]
    made, centre, due = [0] * N, problem.start(), [problem.start()]
    for t, (i, _) in enumerate(arrivals(plan)):
        v_next = momentum * v[i] - GAMMA * drawn_gradient(problem, x[i] + momentum * v[i], i, t)
        if made[i] % period == 0:
            pull = alpha * (x[i] - centre)
            x[i], centre = x[i] - pull, centre + pull
        x[i], v[i] = x[i] + v_next, v_next
        made[i] += 1
        due.append(centre)
    return identity(
        "easgd", f"Algorithms 1 and 2 on the workers' own clocks, H={period}, delta={momentum:g}",
        ran(build(method), problem), torch.stack(due), check="replay of asynchronous EASGD",
        problem="quadratic",
        provenance=TOLD,
    )  # fmt: skip


def easgd() -> tuple[Verdict, ...]:
    """EASGD and EAMSGD, in step and by clocks of their own."""
    return (
        mean_and_centre(), elastic_replay(), elastic_replay(momentum=0.6),
        asynchronous_replay(), asynchronous_replay(momentum=0.6, period=1),
    )  # fmt: skip


CLOSED_FORMS = (easgd,)
