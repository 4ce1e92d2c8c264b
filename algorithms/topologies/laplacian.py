"""Gossip matrices with the constants as kernel: a graph's Laplacian and its Chebyshev polynomial.

Dual methods multiply by a symmetric positive semidefinite W with W 1 = 0 where primal ones average.
The multiple of the Laplacian D - A is free; here it has largest eigenvalue 1, so its smallest
positive one is the normalised eigengap gamma that the rates are written in.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import final

import numpy as np
from torch import Tensor

from algorithms.topologies.base import Neighbours, StaticTopology
from algorithms.topologies.edges import edges
from theory.arrays import Floats

Multiply = Callable[[Tensor, int], Tensor]
"""W x for rows x ``[..., m, d]``; the number tells the exchanges of one polynomial apart."""


@final
@dataclass(frozen=True)
class Laplacian:
    r"""W = (D - A) / \lambda_1(D - A) of the topology's graph, weights ignored.

    Eigenvalues 0 = w_n < \gamma = w_{n-1} \le \dots \le w_1 = 1.

    Raises:
        ValueError: a worker without a neighbour, or edges of one direction only.
    """

    topology: StaticTopology

    def __post_init__(self) -> None:
        _matrix(self.topology)  # refuses what has no Laplacian

    @property
    def matrix(self) -> Floats:
        """W ``[n, n]``, read-only."""
        return _matrix(self.topology)

    @property
    def neighbours(self) -> Neighbours:
        """W as lists; mixing with them multiplies by W."""
        return _lists(self.topology)

    @property
    def gamma(self) -> float:
        """Normalised eigengap lambda_{n-1} / lambda_1 in (0, 1]."""
        return _gap(self.topology)

    @property
    def degree(self) -> int:
        r"""K = \lfloor 1/\sqrt{\gamma} \rfloor, that of the optimal methods' polynomial."""
        return math.floor(1 / math.sqrt(self.gamma) + 1e-9)


@lru_cache(maxsize=64)
def _matrix(topology: StaticTopology) -> Floats:
    w = np.zeros((topology.n, topology.n))
    for i, j in edges(topology):
        w[i, j] = w[j, i] = -1.0
    np.fill_diagonal(w, -w.sum(axis=1))
    w /= np.linalg.eigvalsh(w)[-1]
    w.setflags(write=False)
    return w


@lru_cache(maxsize=64)
def _lists(topology: StaticTopology) -> Neighbours:
    return Neighbours(_matrix(topology))


@lru_cache(maxsize=64)
def _gap(topology: StaticTopology) -> float:
    return min(1.0, float(np.linalg.eigvalsh(_matrix(topology))[1]))


def shrinkage(gamma: float, degree: int) -> float:
    r"""c_1^K = ((1 - \sqrt\gamma) / (1 + \sqrt\gamma))^K.

    The positive eigenvalues of P_K(W) lie within 1 \pm 2 c_1^K / (1 + c_1^{2K}) (Scaman et al.
    2017, arXiv:1702.08704, section 4.2).
    """
    root = math.sqrt(gamma)
    return ((1 - root) / (1 + root)) ** degree


def accelerated_gossip(x: Tensor, multiply: Multiply, gamma: float, degree: int) -> Tensor:
    r"""P_K(W) x = x - T_K(c_2 (I - c_3 W)) x / T_K(c_2) by K exchanges.

    c_2 = (1 + \gamma)/(1 - \gamma), c_3 = 2 / (1 + \gamma), for W with largest eigenvalue 1.
    (Scaman et al. 2017, arXiv:1702.08704, Algorithm 3, AcceleratedGossip; its a_k = T_k(c_2) grow
    without bound, so the ratio z_k = x_k / a_k is iterated here.)

    Raises:
        ValueError: gamma outside (0, 1], degree < 1, or more than one exchange where gamma = 1.
    """
    check_polynomial(gamma, degree)
    c3 = 2 / (1 + gamma)
    before, z = x, x - c3 * multiply(x, 0)
    if degree > 1:
        c2 = (1 + gamma) / (1 - gamma)
        ratio = 1 / c2  # a_{k-1} / a_k
        for k in range(1, degree):
            following = 1 / (2 * c2 - ratio)  # a_k / a_{k+1}
            ahead = 2 * c2 * following * (z - c3 * multiply(z, k)) - ratio * following * before
            before, z, ratio = z, ahead, following
    return x - z


def check_polynomial(gamma: float, degree: int) -> None:
    """Refuse what Chebyshev's polynomial is not made for.

    Raises:
        ValueError: gamma outside (0, 1], degree < 1, or degree > 1 where gamma = 1.
    """
    if not 0 < gamma <= 1:
        raise ValueError(f"gamma must lie in (0, 1], got gamma={gamma}")
    if degree < 1 or (degree > 1 and gamma == 1):
        raise ValueError(
            f"degree must be at least 1, and 1 where gamma = 1, got degree={degree} with "
            f"gamma={gamma}"
        )
