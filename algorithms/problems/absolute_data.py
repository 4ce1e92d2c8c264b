"""Least absolute deviations on scikit-learn's diabetes data."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import torch

from algorithms.core.key import Key
from algorithms.problems.absolute import Absolute
from algorithms.problems.base import require_int
from algorithms.problems.bundled import bundled
from algorithms.problems.entry import ProblemEntry
from theory.arrays import Floats

SIMPLEX = "simplex-signs"
"""Least absolute deviations whose minimiser lies on the simplex of sum 1."""

_SIGNS, _ON_SIMPLEX = 480, (0.45, 0.3, 0.15, 0.1)  # no signed sum is 0, so 0 is no kink


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


def simplex_signs(n: int, d: int = 200, *, batch: int = 1) -> Absolute:
    """480 // n samples a worker with features +1 or -1, targets a^T x* without error, f* = 0.

    x* = (0.45, 0.3, 0.15, 0.1, 0, ..., 0) is a point of the simplex of sum 1. Subgradients have
    entries of at most 1, and length sqrt(d): bounded in the norm that belongs to the entropy.

    Raises:
        ValueError: n outside [1, 480], or d < 4.
    """
    require_int("n", n, 1, _SIGNS)
    require_int("d", d, len(_ON_SIMPLEX))
    size = _SIGNS // n
    draws = Key.seed(0).fold("signs").draws(torch.tensor(0), torch.arange(n * size))
    features = (2 * draws.integers(2, d) - 1).to(torch.float64).reshape(n, size, d)
    x = torch.zeros(d, dtype=torch.float64)
    x[: len(_ON_SIMPLEX)] = torch.tensor(_ON_SIMPLEX, dtype=torch.float64)
    return Absolute(SIMPLEX, features, features @ x, 0.0, batch)


ENTRIES = (
    ProblemEntry(
        "lad-diabetes-sorted",
        "least absolute deviations on diabetes, shards sorted by target: convex, not smooth",
        diabetes,
        general=False,
    ),
    ProblemEntry(
        SIMPLEX,
        "least absolute deviations of 200 signs, one sample a gradient, x* on the simplex",
        simplex_signs,
        general=False,
    ),
)
