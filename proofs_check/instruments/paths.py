"""Paths: a method's states one by one, where a closed form needs more than a trace keeps."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple, final

import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.methods.base import Method, RunContext
from algorithms.network.simulated import Simulated
from algorithms.problems.base import Problem


@final
class Snapshot(NamedTuple):
    """The state after t steps, and the ``context`` it was taken in."""

    t: int
    state: Any
    context: RunContext


def world_of(problem: Problem, seed: int, replicas: int) -> RunContext:
    """The world that :func:`algorithms.engine.run.run` makes of the same arguments."""
    ids = torch.arange(replicas, device=problem.device)
    network = Simulated(problem.n, device=problem.device)
    return RunContext(problem, network, Key.seed(seed), ids)


def path(
    method: Method[Any],
    problem: Problem,
    steps: int,
    *,
    seed: int = 0,
    replicas: int = 1,
    state: Any = None,
) -> Iterator[Snapshot]:
    """Moments after 0, 1, ..., ``steps`` steps, from ``state`` or the problem's start."""
    context = world_of(problem, seed, replicas)
    current = method.init(problem.start(), context) if state is None else state
    yield Snapshot(0, current, context)
    for t in range(steps):
        current = method.step(current, t, context)
        yield Snapshot(t + 1, current, context)


def models(
    method: Method[Any],
    problem: Problem,
    steps: int,
    *,
    seed: int = 0,
    replicas: int = 1,
    state: Any = None,
) -> Tensor:
    """Mean models ``[steps + 1, R, d]`` along the path."""
    moments = path(method, problem, steps, seed=seed, replicas=replicas, state=state)
    return torch.stack([method.models(moment.state).mean(-2) for moment in moments])
