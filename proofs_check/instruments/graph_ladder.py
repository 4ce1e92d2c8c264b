"""Ladders of graphs of growing size, and exact moments of D-PSGD on them, mode by mode.

With one Hessian a for all workers a normal W (symmetric, or a circulant) separates D-PSGD into
modes: along an eigenvector of eigenvalue l the models obey y <- q y + gamma (a b + noise) with
q = l - gamma a. So first and second moments after any number of steps have closed forms, without a
run and without randomness; the noise has variance 1 per worker and coordinate.
"""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple, final

import numpy as np
from numpy.typing import NDArray
from torch import Tensor

from algorithms.methods.gossip.choco import ChocoState
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.ring import Ring
from algorithms.topologies.static_exponential import StaticExponential
from algorithms.topologies.torus import Torus
from theory.arrays import Floats


@final
class GrowingGraphs(NamedTuple):
    """Graphs of one kind of growing size; ``power``: 1/gap grows as n^power (0: as log n).

    Attributes:
        label: what the figure calls it.
        graphs: the graphs, smallest first.
    """

    label: str
    graphs: tuple[StaticTopology, ...]
    power: float

    @property
    def sizes(self) -> Floats:
        """Numbers of workers, ascending."""
        return np.array([float(graph.n) for graph in self.graphs])

    @property
    def gaps(self) -> Floats:
        """Spectral gaps 1 - lam."""
        return np.array([1 - np.abs(modes(graph)).max() for graph in self.graphs])


def families() -> tuple[GrowingGraphs, ...]:
    """Rings, square tori and static exponential graphs of 32 to 512 workers."""
    return (
        GrowingGraphs("ring", tuple(Ring(n) for n in (64, 128, 256, 512)), 2.0),
        GrowingGraphs("torus", tuple(Torus(k, k) for k in (8, 12, 16, 22)), 1.0),
        GrowingGraphs("exponential", tuple(StaticExponential(2**k) for k in (5, 6, 7, 8, 9)), 0.0),
    )


@lru_cache(maxsize=64)
def modes(topology: StaticTopology) -> NDArray[np.complex128]:
    """Eigenvalues ``[n - 1]`` of a normal W, the 1 of the mean left out."""
    w = topology.matrix(0)
    all_modes = np.linalg.eigvals(w - 1 / len(w))  # the mean's is 0 here
    return np.asarray(np.delete(all_modes, np.abs(all_modes).argmin()), dtype=np.complex128)


def noise_spread(topology: StaticTopology, gamma: float, a: float, steps: float) -> float:
    r"""E (1/n) \sum_i (x_i - \bar x)^2 after ``steps`` steps from consensus, noise alone.

    (\gamma^2/n) \sum_k (1 - |q_k|^{2T}) / (1 - |q_k|^2) over the modes but the mean's.
    """
    loss = 1 - np.abs(modes(topology) - gamma * a) ** 2
    return float(gamma**2 * geometric(loss, steps).sum() / topology.n)


def mean_error(n: int, gamma: float, a: float, steps: float, start: float) -> float:
    r"""E (\bar x - x^*)^2 after ``steps`` steps: (1 - \gamma a)^{2T} start^2 + noise / n."""
    loss = gamma * a * (2 - gamma * a)
    noise = float(gamma**2 * geometric(np.array([loss]), steps)[0]) / n
    return float(np.exp(steps * np.log1p(-loss))) * start**2 + noise


def unlike_spread(topology: StaticTopology, gamma: float, a: float, steps: float) -> float:
    r"""(1/n) \sum_i (x_i - \bar x)^2 of minimisers of mean square 1 along a mode of W.

    (\gamma a (1 - q^T)/(1 - q))^2 with q = lam - \gamma a: a mode whose eigenvalue is lam.
    """
    loss = 1 - np.abs(modes(topology)).max() + gamma * a
    return float((gamma * a * geometric(np.array([loss]), steps)[0]) ** 2)


def geometric(loss: Floats, steps: float) -> Floats:
    """1 + r + ... + r^(T - 1) for ratios r = 1 - loss in [0, 1) and T that may be huge."""
    powers = np.exp(steps * np.log1p(-np.minimum(loss, 1 - 1e-16)))
    return np.asarray((1 - powers) / loss)


# The potential in which CHOCO-Gossip contracts. (Koloskova, Stich, Jaggi 2019, Theorem 2.)


def potential(state: ChocoState) -> Tensor:
    """sum_i ||x_i - xbar||^2 + ||x_i - xhat_i||^2 of states ``[..., n, d]``, shape ``[...]``."""
    apart = (state.x - state.x.mean(-2, keepdim=True)).square()
    return (apart + (state.x - state.public).square()).sum((-2, -1))
