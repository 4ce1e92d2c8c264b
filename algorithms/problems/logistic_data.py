"""Makers of logistic regression problems: scikit-learn's data, and synthetic data of any size."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace

import numpy as np
import torch

from algorithms.core.key import Key
from algorithms.problems import datasets
from algorithms.problems.base import require_int
from algorithms.problems.datasets import Samples
from algorithms.problems.entry import ProblemEntry
from algorithms.problems.logistic import Logistic
from algorithms.problems.partitions import Dirichlet, Iid, Partition, SortedByLabel
from algorithms.problems.regularisers import L2, BoundedNonconvex, Regulariser


def breast_cancer(
    n: int, regulariser: Regulariser, *, batch: int = 8, partition: Partition | None = None,
    seed: int = 0, bias: bool = False, dtype: torch.dtype = torch.float64,
) -> Logistic:  # fmt: skip
    """Benign (+1) against malignant (-1), S = 569 // n samples a worker, d = 30 (+ 1 with bias).

    Raises:
        ValueError: n > 569, n < 1 or batch < 1.
    """
    samples = datasets.breast_cancer()
    return _sharded(samples, 1, n, regulariser, batch, partition or Iid(), seed, bias, dtype)


def digits(
    n: int, regulariser: Regulariser, *, batch: int = 8, partition: Partition | None = None,
    seed: int = 0, bias: bool = False, dtype: torch.dtype = torch.float64,
) -> Logistic:  # fmt: skip
    """Digits 0 to 4 (-1) against 5 to 9 (+1), S = 1797 // n, d = 64 (+ 1 with bias).

    The partition sees the ten digits, not the two classes.

    Raises:
        ValueError: n > 1797, n < 1 or batch < 1.
    """
    samples = datasets.digits()
    return _sharded(samples, 5, n, regulariser, batch, partition or Iid(), seed, bias, dtype)


def synthetic(
    n: int, samples: int, d: int, regulariser: Regulariser, *, batch: int = 32, seed: int = 0,
    dtype: torch.dtype = torch.float64,
) -> Logistic:  # fmt: skip
    """Gaussian features with E||a||^2 = 1 and labels of a logistic model, for benchmarks.

    Raises:
        ValueError: n, samples, d or batch below 1.
    """
    for name, value in (("n", n), ("samples", samples), ("d", d)):
        require_int(name, value, 1)
    key, workers = Key.seed(seed).fold("synthetic"), torch.arange(n)
    one = torch.tensor(0)
    features = key.fold("features").draws(one, workers).normal(samples * d, dtype)
    features = features.view(n, samples, d).mul_(1 / math.sqrt(d))
    teacher = 4.0 * key.fold("teacher").draws(one, torch.zeros(1, dtype=torch.int64)).normal(
        d, dtype
    )
    chance = key.fold("labels").draws(one, workers).uniform(samples, dtype)
    labels = torch.where(chance < torch.sigmoid(features @ teacher[0]), 1.0, -1.0)
    name = f"logistic-{regulariser.name}-synthetic"
    source = f"synthetic, seed {seed}"
    rows = features.mul_(labels[..., None].to(dtype))  # in place, and not held twice
    return Logistic(name, rows, regulariser, batch, source)


def _sharded(
    samples: Samples, threshold: int, n: int, regulariser: Regulariser, batch: int,
    partition: Partition, seed: int, bias: bool, dtype: torch.dtype,
) -> Logistic:  # fmt: skip
    """Labels below ``threshold`` are -1, the others +1."""
    if bias:
        ones = np.ones((len(samples.features), 1))
        samples = samples._replace(features=np.hstack((samples.features, ones)))
    features, labels = samples.deal(partition, n, Key.seed(seed).fold("partition"), dtype)
    signs = torch.where(labels < threshold, -1, 1)
    name = f"logistic-{regulariser.name}-{samples.name}-{partition.name}"
    source = f"{samples.name}, partition {partition.name}, seed {seed}, bias {bias}"
    return Logistic.from_data(features, signs, regulariser, batch=batch, name=name, source=source)


_REGULARISATION = 0.1

MANY_SAMPLES = "logreg-many-samples"
"""Logistic regression on so many samples that what one gradient sees is noise."""


def _entry(
    name: str, title: str, make: Callable[..., Logistic], regulariser: Regulariser,
    rule: Partition | None = None,
) -> ProblemEntry:  # fmt: skip
    title = f"logistic regression on {title}"

    def dealt(n: int, partition: Partition) -> Logistic:
        return make(n, regulariser, partition=partition)

    return ProblemEntry(
        name, title, lambda n: replace(dealt(n, rule or Iid()), name=name), dealt=dealt
    )


ENTRIES = (
    *(
        _entry(f"{kind}-{data}", f"{data}, {regulariser.name}, iid shards", make, regulariser)
        for data, make in (("breast-cancer", breast_cancer), ("digits", digits))
        for kind, regulariser in (
            ("logreg", L2(_REGULARISATION)),
            ("nonconvex", BoundedNonconvex(_REGULARISATION)),
        )
    ),
    _entry(
        "logreg-breast-cancer-sorted", "breast-cancer, l2, shards sorted by label", breast_cancer,
        L2(_REGULARISATION), SortedByLabel(),
    ),
    _entry(
        "nonconvex-digits-dirichlet", "digits, non-convex, Dirichlet(0.3) shards", digits,
        BoundedNonconvex(_REGULARISATION), Dirichlet(0.3),
    ),
    ProblemEntry(
        MANY_SAMPLES,
        "logistic regression on 2,048 synthetic samples a worker, one a gradient, l2",
        lambda n: replace(synthetic(n, 2048, 20, L2(0.01), batch=1), name=MANY_SAMPLES),
        general=False,
    ),
)  # fmt: skip
