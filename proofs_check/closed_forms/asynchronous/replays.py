"""Replays of an asynchronous schedule in plain Python: one worker at a time, all versions kept."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.synchronisation.compute_times import Exponential
from algorithms.synchronisation.schedule import Schedule
from proofs_check.instruments.paths import models

TICKS, SEED, WEIGHT = 60, 3, 1.5
TIMES = Exponential((1.0, 2.0, 0.5, 1.5, 0.7))
ONE = torch.zeros(1, dtype=torch.int64)
TOLD = f"five workers, {TICKS} ticks, seed {SEED}"


def uneven() -> Quadratic:
    """Five workers with Hessians and minimisers of their own, and noise."""
    a = torch.linspace(0.2, 1.5, 30, dtype=torch.float64).reshape(5, 6)
    b = torch.cos(torch.arange(30, dtype=torch.float64)).reshape(5, 6)
    return Quadratic.from_arrays(a, b, sigma2=0.5, x0=torch.ones(6, dtype=torch.float64))


def drawn_gradient(problem: Problem, x: Tensor, worker: int, t: int) -> Tensor:
    """The stochastic gradient ``[d]`` that ``worker`` draws at tick t of a run of seed SEED."""
    draws = Key.seed(SEED).fold("gradient", t).draws(ONE, torch.tensor([[worker]]))
    return problem.gradient(x[None, None], draws)[0, 0]


def arrivals(schedule: Schedule) -> list[tuple[int, int]]:
    """Worker and version of every tick, replica 0, one arrival a tick."""
    ids, versions = schedule.arrivals[:, 0, 0], schedule.versions[:, 0, 0]
    return list(zip(ids.tolist(), versions.tolist(), strict=True))


def ran(method: Method[Any], problem: Problem, ticks: int = TICKS) -> Tensor:
    """The models ``[ticks + 1, d]`` of replica 0."""
    return models(method, problem, ticks, seed=SEED)[:, 0]
