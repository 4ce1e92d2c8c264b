"""Randomised gossip under its bound."""

from __future__ import annotations

from functools import partial
from typing import Any

from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import RandomLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD
from algorithms.methods.gossip_pairwise.gossiping_sgd import GossipingSGD
from algorithms.methods.gossip_pairwise.saps_psgd import SAPSPSGD
from algorithms.problems import entries
from algorithms.problems.base import Problem
from algorithms.synchronisation.compute_times import Exponential
from algorithms.topologies.barbell import Barbell
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.complete import Complete
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.bounds.check import REPLICAS, BoundCheck
from proofs_check.bounds.settings import MILD, by_moments, mild
from theory.rules.virtual_iterate_deviation import kept_by_pairs
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorems.ad_psgd import ad_psgd
from theory.theorems.gossiping_sgd_pull import gossiping_sgd_pull
from theory.theorems.randomised_gossip import randomised_gossip
from theory.theorems.saps_psgd import saps_psgd


def _random(topology: StaticTopology, steps: int) -> BoundCheck:
    return BoundCheck(
        "randomised-gossip", f"consensus, {topology.name}", randomised_gossip,
        lambda: entries.problem("consensus", topology.n),
        lambda _s, _p, _t: GossipAveraging(RandomLinks(RandomEdge(topology))), steps,
    )  # fmt: skip


_TICKS, _PAIRS, _COMPRESSION = 1800, RandomEdge(Complete(4)), 4.0


def _async(step: Stepsize, problem: Problem, steps: int) -> ADPSGD:
    return ADPSGD(step, steps, Exponential(), Complete(problem.n), replicas=REPLICAS)


def _ticks_early() -> int:
    """The largest staleness of the schedule that is run."""
    own = ADPSGD(ConstantStep(1.0), _TICKS, Exponential(), Complete(3), replicas=REPLICAS)
    return int(own.staleness(3).need("tau"))


def _kept_by_masked_pairs() -> float:
    """Contraction of the squared spread by a round, in the mean: pairs are drawn afresh, and a
    coordinate is averaged in one round of ``_COMPRESSION``."""
    lam2 = _PAIRS.contraction()
    return 1 - (1 - lam2) / _COMPRESSION


def _pulling(
    topology: StaticTopology, often: float, step: Stepsize, _problem: Problem, steps: int
) -> Method[Any]:
    return GossipingSGD(step, steps, Exponential(), topology, probability=often, replicas=REPLICAS)


def _pulled(topology: StaticTopology, often: float) -> BoundCheck:
    """Pulls over a graph, a worker's each with a probability."""
    return BoundCheck(
        "gossiping-sgd", f"{MILD}, {topology.name}, pulls with probability {often:g}",
        gossiping_sgd_pull, partial(mild, topology.n, 0.0), partial(_pulling, topology, often),
        _TICKS,
    )  # fmt: skip


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    _random(Ring(8), 200),
    _random(Torus(3, 3), 100),
    _random(Barbell(4), 200),
    _random(Complete(8), 60),
    by_moments(
        "ad-psgd", ad_psgd, _async, _TICKS,
        lambda: {"kept": kept_by_pairs(3), "tau": _ticks_early()}, n=3, zeta2=0.0, rated=False,
    ),
    _pulled(Complete(4), 1.0),
    _pulled(Ring(4), 0.5),
    by_moments(
        "saps-psgd", saps_psgd, lambda step, _p, _t: SAPSPSGD(step, _PAIRS, _COMPRESSION), 800,
        lambda: {"kept": _kept_by_masked_pairs()}, rated=False,
    ),
)  # fmt: skip
