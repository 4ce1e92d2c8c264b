"""The named topologies that n workers can have, one of each family."""

from __future__ import annotations

import math
from collections.abc import Callable

from algorithms.topologies.barbell import Barbell
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.erdos_renyi import ErdosRenyi
from algorithms.topologies.geometric import Geometric
from algorithms.topologies.graphs import STANDARD
from algorithms.topologies.grid import Grid
from algorithms.topologies.hypercube import Hypercube
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.path import Path
from algorithms.topologies.random_regular import RandomRegular
from algorithms.topologies.ring import Ring
from algorithms.topologies.small_world import SmallWorld
from algorithms.topologies.star import Star
from algorithms.topologies.static_exponential import StaticExponential
from algorithms.topologies.torus import Torus
from algorithms.topologies.weights import Weights
from theory.networks.mixing import MixingError

_TRIES = 100  # seeds tried for a connected draw


def gallery(n: int, weights: Weights = STANDARD) -> tuple[Topology, ...]:
    """One topology of each family over n workers, ``weights`` on those that are graphs.

    Families without a member for this n (a hypercube of 12) are left out. Random graphs take twice
    the density that is needed, and the first seed whose draw is connected.

    Raises:
        ValueError: n < 1.
    """
    found: list[Topology] = [Path(n, weights), Ring(n, weights), Star(n, weights)]
    if Grid.square(n).rows > 1:
        found += [Grid.square(n, weights), Torus.square(n, weights)]
    power = n & (n - 1) == 0
    if power:
        found.append(Hypercube(n, weights))
    if n >= 4:
        found.append(Barbell(n // 2, n % 2, weights))
    found += [*_random(n, weights), StaticExponential(n)]
    if power:
        found.append(OnePeerExponential(n))
    return (*found, DirectedRing(n), Complete(n, weights))


def _random(n: int, weights: Weights) -> list[Topology]:
    if n < 6:
        return []
    dense, near = 2 * math.log(n) / n, math.sqrt(2 * math.log(n) / (math.pi * n))
    drawn: tuple[Callable[[int], Topology], ...] = (
        lambda seed: RandomRegular(n, 4, seed, weights),
        lambda seed: ErdosRenyi(n, min(1.0, dense), seed, weights),
        lambda seed: SmallWorld(n, 4, 0.2, seed, weights),
        lambda seed: Geometric(n, near, seed, weights),
    )
    return [_connected(make) for make in drawn]


def _connected(make: Callable[[int], Topology]) -> Topology:
    """The first draw that is connected."""
    for seed in range(_TRIES):
        try:
            return make(seed)
        except MixingError:
            continue
    return make(_TRIES)
