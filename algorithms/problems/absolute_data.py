"""Least absolute deviations on scikit-learn's diabetes data."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch

from algorithms.problems.absolute import Absolute
from algorithms.problems.base import require_int
from algorithms.problems.datasets import bundled
from algorithms.problems.entry import ProblemEntry
from theory.arrays import Floats


@lru_cache(maxsize=1)
def _samples() -> tuple[Floats, Floats]:
    features, targets = bundled("diabetes")
    left, _, _ = np.linalg.svd(features - features.mean(0), full_matrices=False)
    signs = np.sign(left[np.abs(left).argmax(0), np.arange(left.shape[1])])
    return left * signs * len(left) ** 0.5, (targets - targets.mean()) / targets.std()


def diabetes(n: int, *, lam: float = 0.0, batch: int = 0, alike: bool = False) -> Absolute:
    """442 patients, 10 features; n shards of 442 // n, the rest is left out.

    Features are whitened: rotated and scaled to uncorrelated columns of mean square one (two of
    them are nearly collinear, which no first-order method sees through). Targets are standardised.

    Shards are sorted by target, as unlike as can be; ``alike`` deals the samples in turn instead.

    Raises:
        ValueError: n outside [1, 442].
    """
    features, targets = _samples()
    require_int("n", n, 1, len(targets))
    size = len(targets) // n
    order = np.argsort(targets, kind="stable")[: n * size]
    places = order.reshape(size, n).T if alike else order.reshape(n, size)
    return Absolute(
        f"lad-diabetes{'' if alike else '-sorted'}",
        torch.from_numpy(features[places]).contiguous(),
        torch.from_numpy(targets[places]).contiguous(),
        lam,
        batch,
        "sklearn.datasets.load_diabetes",
    )


ENTRIES = (
    ProblemEntry(
        "lad-diabetes-sorted",
        "least absolute deviations on diabetes, shards sorted by target: convex, not smooth",
        diabetes,
        general=False,
    ),
)
