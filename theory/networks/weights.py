r"""Mixing weights of a graph, as functions of its adjacency matrix ``[n, n]``.

``adjacency[i, j]`` is nonzero where i hears j; its diagonal is zero. Undirected graphs have a
symmetric one, with degrees d_i; Lap = D - A is their Laplacian, of eigenvalues l_1 >= ... >= l_n.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike

from theory.arrays import Floats
from theory.networks.mixing import MixingError, square


def out_degree(adjacency: ArrayLike) -> Floats:
    r"""Column-stochastic weights of a directed graph: worker j keeps and sends equal shares.

    $P_{ij} = 1 / (1 + d_j^{out})$ for i = j and wherever i hears j (push-sum: Kempe, Dobra, Gehrke
    2003, FOCS; Nedic, Olshevsky 2016, arXiv:1406.2075, section 2).

    Raises:
        MixingError: not square, or a worker joined to itself.
    """
    a = _no_loops(adjacency)
    p: Floats = (a + np.eye(a.shape[0])) / (1.0 + a.sum(axis=0))
    return p


def _no_loops(adjacency: ArrayLike) -> Floats:
    a: Floats = (square(adjacency) != 0.0).astype(np.float64)
    if a.diagonal().any():
        i = int(np.flatnonzero(a.diagonal())[0])
        raise MixingError(f"adjacency[{i}, {i}] must be 0: worker {i} needs no edge to itself")
    return a


def undirected(adjacency: ArrayLike) -> Floats:
    """The adjacency matrix as 0 and 1, refused where it is no undirected graph without loops.

    Raises:
        MixingError: not square, not symmetric, or a worker joined to itself.
    """
    a = _no_loops(adjacency)
    if (a != a.T).any():
        i, j = (int(v) for v in np.argwhere(a != a.T)[0])
        raise MixingError(
            f"adjacency must be symmetric, got only one of the edges ({i}, {j}) and ({j}, {i}); "
            "a directed graph needs its weights given as a matrix"
        )
    return a


def laplacian(adjacency: ArrayLike) -> Floats:
    """D - A of an undirected graph.

    Raises:
        MixingError: as :func:`undirected`.
    """
    a = undirected(adjacency)
    return np.asarray(np.diag(a.sum(axis=1)) - a)


def metropolis_hastings(adjacency: ArrayLike, *, plus_one: bool = True) -> Floats:
    r"""Metropolis-Hastings weights of an undirected graph, in either convention.

    $w_{ij} = 1 / (1 + \max(d_i, d_j))$ on edges (Xiao, Boyd, Lall 2005, IPSN), or, with
    ``plus_one`` False, $1 / \max(d_i, d_j)$ (CVX's examples of Xiao, Boyd 2004);
    $w_{ii} = 1 - \sum_{j \ne i} w_{ij}$. Symmetric and doubly stochastic on every graph. Without
    the 1 a regular bipartite graph (a ring of even n) swaps its halves for ever: lam = 1.

    Raises:
        MixingError: not square, not symmetric, or a worker joined to itself.
    """
    a = undirected(adjacency)
    degree = a.sum(axis=1)
    larger = np.maximum(degree[:, None], degree[None, :]) + (1.0 if plus_one else 0.0)
    return _completed(np.divide(a, larger, out=np.zeros_like(a), where=a != 0.0))


def max_degree(adjacency: ArrayLike, *, plus_one: bool = True) -> Floats:
    r"""One weight for all edges: $1 / (1 + d_{max})$, or $1 / d_{max}$ with ``plus_one`` False.

    (Xiao, Boyd 2004, Systems and Control Letters 53; $1 / d_{max}$ in CVX's examples of it.)

    Raises:
        MixingError: not square, not symmetric, or a worker joined to itself.
    """
    a = undirected(adjacency)
    largest = float(a.sum(axis=1).max()) + (1.0 if plus_one else 0.0)
    return constant(a, 1.0 / largest if largest else 0.0)


def constant(adjacency: ArrayLike, alpha: float) -> Floats:
    """W = I - alpha Lap: the same weight alpha on every edge; symmetric, rows sum to 1.

    Raises:
        MixingError: not square, not symmetric, or a worker joined to itself.
    """
    return _completed(alpha * undirected(adjacency))


def best_constant(adjacency: ArrayLike) -> float:
    r"""The constant weight of least lam: $\alpha = 2 / (l_1 + l_{n-1})$ (Xiao, Boyd 2004).

    lam is then $(l_1 - l_{n-1}) / (l_1 + l_{n-1})$. A diagonal entry may become negative.

    Raises:
        MixingError: as :func:`undirected`.
    """
    values = np.linalg.eigvalsh(laplacian(adjacency))
    return float(2.0 / (values[-1] + values[1])) if len(values) > 1 else 0.0


def best_constant_lam(adjacency: ArrayLike) -> float:
    """lam of :func:`best_constant` from the spectrum of the Laplacian.

    Raises:
        MixingError: as :func:`undirected`.
    """
    values = np.linalg.eigvalsh(laplacian(adjacency))
    if len(values) == 1:
        return 0.0
    return float((values[-1] - values[1]) / (values[-1] + values[1]))


def edge_weight(w: ArrayLike) -> float | None:
    """The weight that every edge of W ``[n, n]`` has, None where they differ; 0 without edges."""
    m = square(w)
    edges = m[(m != 0.0) & ~np.eye(m.shape[0], dtype=bool)]
    if edges.size == 0:
        return 0.0
    return float(edges[0]) if (edges == edges[0]).all() else None


def _completed(w: Floats) -> Floats:
    """Edge weights with the diagonal that makes rows sum to 1, rounded once."""
    np.fill_diagonal(w, [1.0 - math.fsum(row) for row in w])
    return w
