"""From a graph to weights: the rules, as values."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass, field
from typing import final

from theory.arrays import Floats
from theory.networks import weights
from theory.networks.mixing import lazy


class Weights(ABC):
    """A rule that gives an undirected graph its weights; members are frozen dataclasses.

    Every W ``[n, n]`` is symmetric and its rows sum to 1. Where ``signed``, entries may be
    negative; elsewhere they may not.
    """

    @property
    def signed(self) -> bool:
        """Whether an entry may be negative."""
        return False

    @property
    @abstractmethod
    def name(self) -> str:
        """Name with its convention, as it stands in reports."""

    @abstractmethod
    def matrix(self, adjacency: Floats) -> Floats:
        """W of a connected graph, from its adjacency matrix ``[n, n]``.

        Raises:
            MixingError: the adjacency matrix is not square or not symmetric, or has a loop.
        """


@final
@dataclass(frozen=True)
class MetropolisHastings(Weights):
    r"""$w_{ij} = 1 / (1 + \max(d_i, d_j))$ on edges, or $1 / \max(d_i, d_j)$ without the 1.

    (Xiao, Boyd, Lall 2005, IPSN; without it CVX's examples of Xiao, Boyd 2004.)
    With the 1 every own weight is positive and W contracts on every connected graph.

    Attributes:
        plus_one: whether the 1 is added in the denominator.
    """

    plus_one: bool = True

    @property
    def name(self) -> str:
        return "Metropolis-Hastings 1/(1+max)" if self.plus_one else "Metropolis-Hastings 1/max"

    def matrix(self, adjacency: Floats) -> Floats:
        return weights.metropolis_hastings(adjacency, plus_one=self.plus_one)


@final
@dataclass(frozen=True)
class MaxDegree(Weights):
    r"""$w_{ij} = 1 / (1 + d_{max})$ on every edge, or $1 / d_{max}$ without the 1.

    (Without the 1: CVX's examples of Xiao, Boyd 2004, Systems and Control Letters 53.)

    Attributes:
        plus_one: whether the 1 is added in the denominator.
    """

    plus_one: bool = True

    @property
    def name(self) -> str:
        return "max-degree 1/(1+max)" if self.plus_one else "max-degree 1/max"

    def matrix(self, adjacency: Floats) -> Floats:
        return weights.max_degree(adjacency, plus_one=self.plus_one)


@final
@dataclass(frozen=True)
class BestConstant(Weights):
    r"""The best single weight, $w_{ij} = 2 / (l_1 + l_{n-1})$, l the eigenvalues of the Laplacian.

    (Xiao, Boyd 2004, Systems and Control Letters 53.) Own weights may be negative.
    """

    @property
    def signed(self) -> bool:
        return True

    @property
    def name(self) -> str:
        return "best constant"

    def matrix(self, adjacency: Floats) -> Floats:
        return weights.constant(adjacency, weights.best_constant(adjacency))


@final
@dataclass(frozen=True)
class LazyWeights(Weights):
    """(I + W) / 2 of another rule's W: no eigenvalue below 0, so that any of them contracts.

    Of directed graphs and sequences: :class:`algorithms.topologies.lazy.Lazy`.
    """

    rule: Weights = field(default_factory=MetropolisHastings)

    @property
    def signed(self) -> bool:
        return self.rule.signed

    @property
    def name(self) -> str:
        return f"lazy {self.rule.name}"

    def matrix(self, adjacency: Floats) -> Floats:
        return lazy(self.rule.matrix(adjacency))
