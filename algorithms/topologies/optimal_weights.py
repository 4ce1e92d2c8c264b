"""The fastest symmetric weights of a graph, by semidefinite programming (extra ``optimal``)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import final

import numpy as np

from algorithms.topologies.weights import Weights
from theory.arrays import Floats
from theory.networks.weights import undirected
from theory.optional import need_cvxpy

_FINE = 2.0**30  # weights are multiples of 1 / _FINE, so that rows sum to 1 exactly


@final
@dataclass(frozen=True)
class FDLA(Weights):
    r"""Fastest distributed linear averaging: $\min \|W - J\|_2$ over symmetric W on the graph.

    (Xiao, Boyd 2004, Systems and Control Letters 53; the linear matrix inequality
    $-s I \preceq W - J \preceq s I$.) Weights may be negative. They are rounded to multiples of
    2^-30, so that rows sum to 1 exactly. For tens of workers: 77 with 254 edges take a minute.

    Raises:
        ImportError: cvxpy is not installed (on ``matrix``).
    """

    @property
    def signed(self) -> bool:
        return True

    @property
    def name(self) -> str:
        return "FDLA"

    def matrix(self, adjacency: Floats) -> Floats:
        return _least_lam(adjacency, non_negative=False)


@final
@dataclass(frozen=True)
class FMMC(Weights):
    r"""Fastest mixing Markov chain: :class:`FDLA` with no weight below 0, nor any own weight.

    (Boyd, Diaconis, Xiao 2004, SIAM Review 46.)

    Raises:
        ImportError: cvxpy is not installed (on ``matrix``).
    """

    @property
    def name(self) -> str:
        return "FMMC"

    def matrix(self, adjacency: Floats) -> Floats:
        return _least_lam(adjacency, non_negative=True)


def incidence(adjacency: Floats) -> Floats:
    """One column per edge i < j, 1 at i and -1 at j: ``[n, edges]``; Lap = A A^T.

    Raises:
        MixingError: as :func:`theory.networks.weights.undirected`.
    """
    pairs = np.argwhere(np.triu(undirected(adjacency)))
    a = np.zeros((adjacency.shape[0], len(pairs)))
    a[pairs[:, 0], np.arange(len(pairs))] = 1.0
    a[pairs[:, 1], np.arange(len(pairs))] = -1.0
    return a


def _least_lam(adjacency: Floats, *, non_negative: bool) -> Floats:
    a = incidence(adjacency)
    n, edges = a.shape
    if edges == 0:
        return np.eye(n)
    cp = need_cvxpy("optimal weights")
    weight, bound = cp.Variable(edges), cp.Variable()
    w = np.eye(n) - a @ cp.diag(weight) @ a.T
    off = w - np.full((n, n), 1.0 / n)
    limits = [off << bound * np.eye(n), off >> -bound * np.eye(n)]
    if non_negative:
        limits += [weight >= 0, cp.diag(w) >= 0]
    cp.Problem(cp.Minimize(bound), limits).solve(solver=cp.CLARABEL)
    found = np.asarray(weight.value, dtype=np.float64)
    fine = _allowed(a, found) if non_negative else np.round(found * _FINE) / _FINE
    return np.asarray(np.eye(n) - (a * fine) @ a.T)


def _allowed(a: Floats, weight: Floats) -> Floats:
    """Multiples of 1 / _FINE as near as can be, with no entry of W below 0."""
    clipped = np.maximum(np.round(weight * _FINE), 0.0)
    most = float((np.abs(a) @ clipped).max())
    shares: Floats = clipped if most <= _FINE else np.floor(clipped * (_FINE / most))
    return shares / _FINE
