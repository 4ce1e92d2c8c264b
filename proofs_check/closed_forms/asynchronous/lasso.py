"""Least squares with an l1 term: where asynchronous proximal methods must end, by scikit-learn."""

from __future__ import annotations

from typing import Any

import torch
from torch import Tensor

from algorithms.core.key import Key
from algorithms.methods.base import Method
from algorithms.problems.base import Problem
from algorithms.problems.least_squares import LeastSquares
from proofs_check.closed_forms.asynchronous.replays import WEIGHT, ran
from proofs_check.instruments.evidence import identity
from proofs_check.verdict import Verdict


def lasso() -> tuple[LeastSquares, Tensor]:
    r"""Least squares on four shards, and the minimiser of f + WEIGHT ||x||_1 by scikit-learn."""
    from sklearn.linear_model import Lasso  # loaded where it is needed: it takes as long as torch

    draws = Key.seed(8).draws(torch.tensor(0), torch.arange(80))
    rows = draws.normal(13, torch.float64)
    true = torch.tensor([1.5, 0, 0, -1.0, 0, 0, 0, 0.5, 0, 0, 0, 0], dtype=torch.float64)
    features, targets = rows[:, :12], rows[:, :12] @ true + 0.3 * rows[:, 12]
    problem = LeastSquares.of(torch.split(features, 20), torch.split(targets, 20))
    model = Lasso(alpha=WEIGHT * 4 / 80, fit_intercept=False, tol=1e-15, max_iter=100_000)
    model.fit(features.numpy(), targets.numpy())
    return problem, torch.from_numpy(model.coef_)


def against_lasso(row: str, method: Method[Any], problem: Problem, x: Tensor, t: int) -> Verdict:
    """Where ``method`` ends, against scikit-learn's minimiser."""
    return identity(
        row, "it ends at the minimiser of f + weight ||x||_1", ran(method, problem, t)[-1], x,
        check="centralised solution", problem=problem.name, tolerance=1e-8,
        provenance="scikit-learn's coordinate descent",
    )  # fmt: skip
