"""Replays of cooperative methods in numpy: the problem's gradients and the workers' models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import torch
from torch import Tensor

from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.closed_forms.asynchronous.replays import SEED, drawn_gradient
from proofs_check.instruments.paths import path
from theory.stepsizes import ConstantStep

GAMMA, N, D = 0.1, 5, 6
STEP = ConstantStep(GAMMA)
ONE = torch.zeros(1, dtype=torch.int64)
TOLD = f"five workers, seed {SEED}"
TIMES = Exponential((1.0, 2.0, 0.5, 1.5, 0.7))


def same(method: Any) -> Method[Any]:
    """The method unchanged; mutants put a fault in its place."""
    return method  # type: ignore[no-any-return]


def rows_along(method: Method[Any], problem: Problem, steps: int) -> Tensor:
    """All workers' models ``[steps + 1, n or 1, d]`` of replica 0."""
    seen = path(method, problem, steps, seed=SEED)
    return torch.stack([method.models(moment.state)[0].clone() for moment in seen])


def gradients(problem: Problem, x: Sequence[Tensor], t: int) -> list[Tensor]:
    """Stochastic gradients of all workers at step t, one at a time."""
    return [drawn_gradient(problem, row, i, t) for i, row in enumerate(x)]
