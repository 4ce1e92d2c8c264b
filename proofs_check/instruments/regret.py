"""Regret, gradient by gradient: what f_i at the models that workers read exceeds f_i at a point."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor

from algorithms.methods.base import GradientReads, Method
from algorithms.problems.base import Problem
from proofs_check.instruments.paths import path
from theory.arrays import Floats


class RegretSeries(NamedTuple):
    """Average regret after whole clocks of all workers.

    Attributes:
        gradients: how many gradients those are ``[K]``.
        average: the regret over so many ``[R, K]``.
        spread: no two points that occurred in a replica lie farther apart [x].
        sent: bits sent by then, mean of replicas ``[K]``.
        received: bits received by then ``[K]``.
    """

    gradients: Floats
    average: Floats
    spread: float
    sent: Floats
    received: Floats


def regrets(
    method: Method[Any],
    problem: Problem,
    point: Tensor,
    most: int,
    *,
    seed: int,
    replicas: int,
    ticks: int | None = None,
) -> RegretSeries:
    """The regret against ``point`` ``[d]`` in the whole clocks of up to ``most`` gradients, of
    those that ``ticks`` steps of the method complete (as many, where none are given).

    Raises:
        ValueError: the method does not tell which gradients it takes, or the problem not what f_i
            is.
    """
    n = problem.n
    best = _values(problem, GradientReads(point.expand(n, -1), torch.arange(n)))
    clock = torch.zeros(replicas, n + 1, dtype=torch.int64)
    ticks = most if ticks is None else ticks
    total = torch.zeros(replicas, ticks + 1, dtype=torch.float64)
    low = point.double().expand(replicas, -1).clone()
    high = low.clone()
    bits: list[tuple[int, float, float]] = []
    for t, state, context in path(method, problem, ticks, seed=seed, replicas=replicas):
        account = context.network.account((replicas,))
        sent, received = account.sent_bits.double().mean(), account.received_bits.double().mean()
        bits.append((int(clock[:, :n].min()), float(sent), float(received)))
        x = method.models(state)
        low, high = torch.minimum(low, x.amin(-2)), torch.maximum(high, x.amax(-2))
        if t == ticks or bits[-1][0] >= most // n:
            break
        taken = method.reads(state, t, context)
        if taken is None:
            raise ValueError(f"{method.name} does not tell which gradients it takes")
        real = taken.workers < n
        there = torch.where(real[..., None], taken.points, x[..., :1, :])
        low, high = torch.minimum(low, there.amin(-2)), torch.maximum(high, there.amax(-2))
        loss = _values(problem, GradientReads(there, taken.workers.clamp_max(n - 1)))
        excess = torch.where(real, loss - best[taken.workers.clamp_max(n - 1)], 0.0)
        total.scatter_add_(-1, clock.gather(-1, taken.workers), excess.double())
        clock.scatter_add_(-1, taken.workers, real.long())
    whole = min(int(clock[:, :n].min()), most // n)
    gradients = n * np.arange(1.0, whole + 1)
    done, *sums = (np.array(column) for column in zip(*bits, strict=True))
    first = np.searchsorted(done, np.arange(1, whole + 1))
    spread = float((high - low).norm(dim=-1).max())
    average = total[:, :whole].cumsum(-1).numpy() / gradients
    return RegretSeries(gradients, average, spread, *(one[first] for one in sums))


def _values(problem: Problem, taken: GradientReads) -> Tensor:
    found = problem.worker_values(taken.points, taken.workers)
    if found is None:
        raise ValueError(f"{problem.name} does not tell the values of its workers' f_i")
    return found
