"""The topologies that the survey checks, one or more of each family."""

from __future__ import annotations

from algorithms.topologies.barbell import Barbell
from algorithms.topologies.base import PushTopology, Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.directed_ring import DirectedRing
from algorithms.topologies.erdos_renyi import ErdosRenyi
from algorithms.topologies.geometric import Geometric
from algorithms.topologies.grid import Grid
from algorithms.topologies.hypercube import Hypercube
from algorithms.topologies.lazy import Lazy
from algorithms.topologies.one_peer_exponential import OnePeerExponential
from algorithms.topologies.optimal_weights import FDLA, FMMC
from algorithms.topologies.path import Path
from algorithms.topologies.random_digraph import RandomDigraph
from algorithms.topologies.random_regular import RandomRegular
from algorithms.topologies.ring import Ring
from algorithms.topologies.small_world import SmallWorld
from algorithms.topologies.social import (
    florentine_families,
    karate_club,
    les_miserables,
    southern_women,
)
from algorithms.topologies.star import Star
from algorithms.topologies.static_exponential import StaticExponential
from algorithms.topologies.time_varying_digraph import TimeVaryingDigraph
from algorithms.topologies.torus import Torus
from algorithms.topologies.weights import BestConstant, LazyWeights, MaxDegree, MetropolisHastings

TOPOLOGIES: tuple[Topology, ...] = (
    Ring(16),
    Path(16),
    Torus(4, 4),
    Grid(4, 4),
    Complete(16),
    Star(16),
    Hypercube(16),
    Barbell(7, 2),
    RandomRegular(16, 4, seed=1),
    ErdosRenyi(16, 0.3, seed=1),
    SmallWorld(16, 4, 0.2, seed=1),
    Geometric(16, 0.45, seed=1),
    karate_club(),
    southern_women(),
    florentine_families(),
    les_miserables(),
    StaticExponential(16),
    OnePeerExponential(16),
    DirectedRing(16),
    Lazy(Ring(16)),
    Grid(4, 4, MetropolisHastings(plus_one=False)),
    Grid(4, 4, MaxDegree()),
    Torus(4, 4, LazyWeights(MaxDegree(plus_one=False))),
    Grid(4, 4, BestConstant()),
    Grid(4, 4, FDLA()),
    Grid(4, 4, FMMC()),
)

PUSH_TOPOLOGIES: tuple[PushTopology, ...] = (
    DirectedRing(16),
    StaticExponential(16),
    OnePeerExponential(16),
    RandomDigraph(16, 0.3, seed=1),
    RandomDigraph(16, 0.08, seed=1, graphs=8),
    TimeVaryingDigraph.ring_by_parts(16, 4),
)
