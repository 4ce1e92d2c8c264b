"""Problems of stated orders: one objective for all workers, copies of workers, cheap batches."""

from __future__ import annotations

from dataclasses import replace

import torch

from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from algorithms.problems.quadratic_data import standard
from proofs_check.methods.order_metrics import ERGODIC
from proofs_check.methods.tuned_run import TunedRun
from theory.theorem import OrderOnly, Theorem

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
