"""Stated orders: the problems they are held on, and what they bound there."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from numpy.lib.stride_tricks import sliding_window_view
from torch import Tensor

from algorithms.engine.trace import Trace
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import standard
from proofs_check.instruments.paths import path
from proofs_check.methods.tuned_run import TunedRun, measured
from theory.arrays import Floats
from theory.theorem import Metric, OrderOnly, Theorem

# Problems of stated orders: one objective for all workers, copies of workers, cheap batches.

Stated = OrderOnly | Theorem
_FEW = 4  # workers whose models are followed one by one


def place_of(result: TunedRun, stated: Stated | None) -> Problem:
    """The problem of a run; one objective for all of its workers where an order speaks of one
    alone, four workers where each is followed, a quadratic where batches grow."""
    if not isinstance(stated, OrderOnly):
        return result.problem
    if stated.homogeneous and result.constants.zeta2 != 0 and isinstance(result.problem, Quadratic):
        return one_objective(result.problem)
    if stated.metric in ERGODIC and isinstance(result.problem, Quadratic):
        return copied(pair_of(result.problem), _FEW // 2)
    if stated.growing_batch and not isinstance(result.problem, Quadratic):
        return standard(result.problem.n)
    return result.problem


def fits(stated: OrderOnly, result: TunedRun) -> bool:
    """Whether there is such a problem: only of quadratics all workers can be given the mean."""
    alike = result.constants.zeta2 == 0 or isinstance(result.problem, Quadratic)
    return alike or not stated.homogeneous


def one_objective(problem: Quadratic) -> Quadratic:
    """The same f, for every worker."""
    a, c = problem.a.mean(0, keepdim=True), problem.c.mean(0, keepdim=True)
    alike = c.expand(problem.n, -1).clone()
    return replace(problem, name=f"{problem.name}, one objective", a=a, c=alike)


def pair_of(problem: Quadratic) -> Quadratic:
    """Two workers: the first, and one who with it has the mean of all.

    Raises:
        ValueError: there is one worker.
    """
    if problem.n < 2:
        raise ValueError("one worker is no pair")
    mean_a, mean_c = problem.a.mean(0), problem.c.mean(0)
    if len(problem.a) == 1:
        a = problem.a
    else:
        low = problem.a[:1].clamp_max(2 * mean_a)
        a = torch.cat((low, 2 * mean_a - low))
    first = problem.c[:1]
    c = torch.cat((first, 2 * mean_c - first))
    return replace(problem, a=a, c=c)


def copied(base: Quadratic, times: int) -> Quadratic:
    """The quadratic with ``times`` as many workers, copies of its own."""
    a = base.a if len(base.a) == 1 else torch.cat((base.a,) * times)
    return replace(base, a=a, c=torch.cat((base.c,) * times))


# What stated orders bound, at the end of a run or from the averages of its workers.

ERGODIC = Metric.ERGODIC_OBJECTIVE, Metric.ERGODIC_DISAGREEMENT
"""Metrics of averages of the workers' own models."""

_WINDOWS = 2  # of a run, in one of which the squared gradient is smallest


def end_of(trace: Trace, metric: Metric) -> Floats:
    """The metric at the end of each run ``[R]``; of the smallest squared gradient, which few
    replicas do not show, the mean over the half of the steps where it is smallest."""
    match metric:
        case Metric.MINIMUM_SQUARED_GRADIENT:
            wide = max(1, (trace.squared_gradient.shape[1] - 1) // _WINDOWS)
            windows = sliding_window_view(trace.squared_gradient[:, :-1], wide, axis=1).mean(
                axis=-1
            )
            return np.asarray(windows[:, int(windows.mean(axis=0).argmin())])
        case Metric.AVERAGE_GRADIENT_NORM:
            return np.asarray(np.sqrt(trace.squared_gradient[:, :-1]).mean(axis=1))
        case Metric.AVERAGE_SUBOPTIMALITY:
            return np.asarray(trace.suboptimality[:, :-1].mean(axis=1))
        case _:
            series = measured(trace, metric)
            return (trace.average_squared_gradient if series is None else series)[:, -1]


def ergodic(
    method: Method[Any], problem: Problem, due: Sequence[int], seed: int, replicas: int,
    metric: Metric,
) -> Floats:  # fmt: skip
    """What the averages of x_i after 1..T steps give ``[R, K]`` after ``due`` steps ``[K]``, with
    the signs of its means taken off; x_i is the worker's own, where a server's model is told else.

    Raises:
        ValueError: the problem does not say what f_i or f* is.
    """
    total, found = torch.zeros(()), []
    for t, state, _ in path(method, problem, max(due), seed=seed, replicas=replicas):
        if t:
            own = getattr(state, "x", None)
            x = own[..., : problem.n, :] if isinstance(own, Tensor) else method.models(state)
            total = total + x.double()
        if t in due:
            averages = (total / t).expand(replicas, problem.n, -1)
            apart = averages - averages.mean(-2, keepdim=True)
            if metric is Metric.ERGODIC_DISAGREEMENT:
                found.append(apart.square().sum(-1).mean(-1).sqrt().numpy())
            else:
                found.append(_excess(problem, averages).mean(-1).numpy())
    excess = np.stack(found, axis=1)
    return np.asarray(excess * np.sign(excess.mean(axis=0)))


def _excess(problem: Problem, x: Tensor) -> Tensor:
    """f_i(x_i) - f_i(x*) at rows ``[R, n, d]``, shape ``[R, n]``."""
    workers = torch.arange(problem.n)
    star = problem.x_star
    if star is None:
        raise ValueError(f"{problem.name} does not say what x* is")
    if isinstance(problem, Quadratic):  # the trapezoidal rule is exact
        apart = x - star
        ends = problem.full_gradient(x, workers), problem.full_gradient(star.expand_as(x), workers)
        return 0.5 * ((ends[0] + ends[1]) * apart).sum(-1)
    values, there = (problem.worker_values(at, workers) for at in (x, star.expand_as(x)))
    if values is None or there is None:
        raise ValueError(f"{problem.name} does not say what every f_i is")
    return values - there
