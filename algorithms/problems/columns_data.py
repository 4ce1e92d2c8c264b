"""Lasso, ridge and logistic regression by columns on scikit-learn's bundled data."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray

from algorithms.problems import datasets
from algorithms.problems.base import require_int
from algorithms.problems.bundled import bundled
from algorithms.problems.columns import Columns
from algorithms.problems.entry import ProblemEntry
from algorithms.problems.glm_losses import GlmLoss, LogisticLoss, SigmoidLoss, SquareLoss

Array = NDArray[np.floating[Any]]


def _columns(
    name: str, x: Array, y: Array, loss: GlmLoss, l1: float, l2: float, n: int, source: str
) -> Columns:
    require_int("n", n, 1)
    samples, targets = (torch.from_numpy(np.ascontiguousarray(v)) for v in (x, y))
    return Columns(name, samples, targets, loss, l1, l2, n, source)


def diabetes(n: int, *, l1: float = 0.05, l2: float = 0.0, name: str = "lasso-diabetes") -> Columns:
    """442 patients, d = 10 (Efron, Hastie, Johnstone, Tibshirani 2004), square loss.

    Columns and the target (progression after a year) are standardised; l2 > 0 alone is ridge.
    """
    x, y = bundled("diabetes")
    scaled = (x - x.mean(0)) / x.std(0)
    target = (y - y.mean()) / y.std()
    return _columns(name, scaled, target, SquareLoss(), l1, l2, n, "diabetes")


def diabetes_products(n: int, *, l1: float = 0.05) -> Columns:
    """Diabetes with d = 64 columns: the ten, squares of all but sex, products of pairs.

    (Efron, Hastie, Johnstone, Tibshirani 2004, Annals of Statistics 32(2), section 1: the quadratic
    model.) Columns and the target are standardised.
    """
    x, y = bundled("diabetes")
    own = (x - x.mean(0)) / x.std(0)
    squares = [own[:, j] ** 2 for j in range(own.shape[1]) if len(np.unique(own[:, j])) > 2]
    pairs = [own[:, j] * own[:, k] for j in range(own.shape[1]) for k in range(j)]
    wide = np.column_stack((own, *squares, *pairs))
    scaled, target = (wide - wide.mean(0)) / wide.std(0), (y - y.mean()) / y.std()
    name = "lasso-diabetes-products"
    return _columns(name, scaled, target, SquareLoss(), l1, 0.0, n, "diabetes")


def breast_cancer(
    n: int, loss: GlmLoss | None = None, *, l1: float = 0.01, l2: float = 0.0,
    name: str = "logistic-l1-breast-cancer",
) -> Columns:  # fmt: skip
    """569 tumours, d = 30 standardised features, labels -1 and +1, logistic loss by default."""
    data = datasets.breast_cancer()
    labels = 2.0 * data.labels - 1.0
    return _columns(name, data.features, labels, loss or LogisticLoss(), l1, l2, n, data.name)


def sigmoid_breast_cancer(n: int) -> Columns:
    """The same data under the sigmoid loss and an l2 term: not convex."""
    return breast_cancer(n, SigmoidLoss(), l1=0.0, l2=0.01, name="sigmoid-breast-cancer")


ENTRIES = (
    ProblemEntry(
        "lasso-diabetes",
        "lasso on diabetes, columns split over workers",
        diabetes,
        general=False,
    ),
    ProblemEntry(
        "lasso-diabetes-products",
        "lasso on diabetes and its squares and products, 64 columns split over workers",
        diabetes_products,
        general=False,
    ),
    ProblemEntry(
        "logistic-l1-breast-cancer",
        "l1-regularised logistic regression on breast-cancer, columns split over workers",
        breast_cancer,
        general=False,
    ),
    ProblemEntry(
        "sigmoid-breast-cancer",
        "non-convex sigmoid loss with l2 on breast-cancer, columns split over workers",
        sigmoid_breast_cancer,
        general=False,
    ),
)
