r"""Limits of a mean whose law is not known: they hold for skewed laws, where Student's t does not.

*Nonnegative values*: :func:`lower_limits`, by betting, for any law whatever (:func:`lower_end`).

*Other values*: :func:`quantile`, what takes the place of Student's. With V^2 the sum of X_i^2 of n
independent X_i of mean zero, Shao 1997 (Annals of Probability 25, Theorem 1.1) gives

$$P(S_n \ge x \sqrt n V)^{1/n} \to
\sup_{c > 0} \inf_{b > 0} E \exp(b (c X - x (X^2 + c^2) / 2)),$$

where for each c the right side to the power n is Chernoff's bound on
$P(c S_n \ge x (V^2 + n c^2) / 2)$. It is evaluated for $X = 1 - E$, E exponential: values that lie
close together on one side of the mean while what balances them is rare, which is when a standard
deviation is seen too small. It is the most skewed law with a log-concave density, of skewness -2.
Tests compare true errors with stated ones for it and for other laws; what is more skewed
still needs more values or a known range.
"""

from __future__ import annotations

import math
from functools import cache

import numpy as np
from numpy.typing import ArrayLike

from proofs_check.instruments.betting import SHARES
from theory.arrays import Floats

_BISECTIONS = 40


@cache
def _moments() -> tuple[Floats, Floats, Floats]:
    """log E exp(q (r X - X^2 / 2)) ``[r, q]`` for X = 1 - E, with r and q."""
    nodes, weights = np.polynomial.legendre.leggauss(24)
    edges = 1.0 - np.concatenate(([0.0], np.geomspace(1e-3, 60.0, 40)))
    middle, half = (edges[1:] + edges[:-1]) / 2, (edges[:-1] - edges[1:]) / 2
    x = (middle[:, None] + half[:, None] * nodes).ravel()
    log_weight = np.log((half[:, None] * weights).ravel()) + x - 1
    r, q = np.geomspace(1e-2, 1e4, 145), np.geomspace(1e-9, 1e5, 225)
    found = np.empty((r.size, q.size))
    for row, one in enumerate(r):
        terms = log_weight + q[:, None] * (one * x - x**2 / 2)
        top = terms.max(axis=1)
        found[row] = top + np.log(np.exp(terms - top[:, None]).sum(axis=1))
    return found, r[:, None], q


@cache
def quantile(alpha: float, samples: int) -> float:
    """Standard errors between a mean of ``samples`` values and its limit, one-sided error alpha.

    Infinite where so few values cannot carry so small an error.

    Raises:
        ValueError: alpha outside (0, 1) or fewer than 2 samples.
    """
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie in (0, 1), got alpha={alpha}")
    if samples < 2:
        raise ValueError(f"samples must be at least 2, got samples={samples}")
    log_moment, r, q = _moments()
    needed = 2 * (-math.log(alpha) / samples + log_moment) / (r**2 * q)
    share = float(needed.min(axis=1).max())
    return math.sqrt((samples - 1) * share / (1 - share)) if share < 1 else math.inf


def lower_limits(values: ArrayLike, alpha: float) -> Floats:
    """Numbers ``[K]`` that the means of nonnegative ``values`` ``[S, K]`` all exceed, error alpha.

    Values that are equal to the last bit in all samples and columns come of no draw, and are their
    own means.

    Raises:
        ValueError: a value is negative or not finite, or alpha lies outside (0, 1).
    """
    y = np.asarray(values, dtype=np.float64)
    if not (np.isfinite(y).all() and (y >= 0).all()):
        raise ValueError(f"values must be nonnegative and finite, got {float(y.min())}")
    if not 0 < alpha < 1:
        raise ValueError(f"alpha must lie in (0, 1), got alpha={alpha}")
    mean = np.asarray(y.mean(axis=0))
    if (y == y[0]).all():
        return mean
    wanted = math.log(len(SHARES) * y.shape[1] / alpha)
    shape = y / np.where(mean > 0, mean, 1.0)
    low, high = np.zeros(mean.shape), np.ones(mean.shape)
    for _ in range(_BISECTIONS):
        middle = (low + high) / 2
        excess = shape / middle - 1
        bets = np.array([np.log1p(share * excess).sum(axis=0) for share in SHARES])
        sure = np.logaddexp.reduce(bets) >= wanted
        low, high = np.where(sure, middle, low), np.where(sure, high, middle)
    return np.asarray(low * mean)
