"""Closed forms: lasso, async coordinate prox, delayed proximal."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.methods.asynchronous.coordinate_prox import CoordinateProx
from algorithms.methods.asynchronous.delayed_proximal import DelayedProximal
from algorithms.methods.base import Method
from algorithms.methods.parts.coordinate_selection import Selection
from algorithms.methods.parts.gradient_filter import Filter, KKTFilter
from algorithms.optimizers.proximal import SoftThreshold
from algorithms.problems.base import Problem
from algorithms.problems.least_squares import LeastSquares
from algorithms.synchronisation.compute_times import Exponential
from proofs_check.evidence.asynchronous.closed_forms import WEIGHT, ran
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict
from theory.stepsizes import ConstantStep

# Least squares with an l1 term: where asynchronous proximal methods must end, by scikit-learn.


def lasso() -> tuple[LeastSquares, Tensor]:
    r"""Least squares on four shards, and the minimiser of f + WEIGHT ||x||_1 by scikit-learn."""
    from sklearn.linear_model import Lasso  # loaded where it is needed: it takes as long as torch

    draws = Key.seed(8).draws(torch.tensor(0), torch.arange(80))
    rows = draws.normal(13, torch.float64)
    true = torch.tensor([1.5, 0, 0, -1.0, 0, 0, 0, 0.5, 0, 0, 0, 0], dtype=torch.float64)
    features, targets = rows[:, :12], rows[:, :12] @ true + 0.3 * rows[:, 12]
    problem = LeastSquares.from_data(torch.split(features, 20), torch.split(targets, 20))
    model = Lasso(alpha=WEIGHT * 4 / 80, fit_intercept=False, tol=1e-15, max_iter=100_000)
    model.fit(features.numpy(), targets.numpy())
    return problem, torch.from_numpy(model.coef_)


def against_lasso(row: str, method: Method[Any], problem: Problem, x: Tensor, t: int) -> Verdict:
    """End point of ``method``, against scikit-learn's minimiser."""
    return identity(
        row, "it ends at the minimiser of f + weight ||x||_1", ran(method, problem, t)[-1], x,
        check="centralised solution", problem=problem.name, tolerance=1e-8,
        provenance="scikit-learn's coordinate descent",
    )  # fmt: skip


# Asynchronous coordinate prox against scikit-learn's lasso.


Build = Callable[[Any], Method[Any]]


def coordinate_prox_solution(build: Build = lambda prox: prox, q: float = 0.3) -> Verdict:
    """Asynchronous coordinate prox, masks on the support, against scikit-learn's lasso."""
    problem, x = lasso()
    gamma, ticks = 1 / max(problem.smoothness), 2000
    method = CoordinateProx(
        ConstantStep(gamma), ticks, Exponential(), Selection(q, support=True), SoftThreshold(WEIGHT)
    )
    return against_lasso("async-coordinate-prox", build(method), problem, x, ticks)


def async_coordinate_prox() -> tuple[Verdict, ...]:
    """End point of asynchronous coordinate prox: scikit-learn's lasso."""
    return (coordinate_prox_solution(),)


# Delayed block prox with a KKT filter against scikit-learn's lasso.


def delayed_proximal_solution(rule: Filter | None = None) -> Verdict:
    """Delayed block prox with a KKT filter against scikit-learn's lasso."""
    problem, x = lasso()
    gamma = 1 / (3 * problem.curvatures[-1].item())
    used = KKTFilter(WEIGHT) if rule is None else rule
    method = DelayedProximal(ConstantStep(gamma), 4, 2, SoftThreshold(WEIGHT), used)
    return against_lasso("delayed-proximal", method, problem, x, 1200)


def delayed_proximal() -> tuple[Verdict, ...]:
    """End point of delayed block prox: scikit-learn's lasso."""
    return (delayed_proximal_solution(),)


CLOSED_FORMS = (async_coordinate_prox, delayed_proximal)
