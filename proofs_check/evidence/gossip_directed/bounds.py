"""Gossip over directed links whose matrices are doubly stochastic, so that weights stay 1."""

from __future__ import annotations

from algorithms.methods.exchanges.exchange import FixedLinks, RandomLinks
from algorithms.methods.gossip_directed.push_sum import PushSum
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.methods.gossip_directed.subgradient_push import SubgradientPush
from algorithms.problems import entries
from algorithms.problems.base import Problem
from algorithms.topologies.complete import Complete
from algorithms.topologies.dissemination import Dissemination
from algorithms.topologies.random_out_neighbour import RandomOutNeighbour
from algorithms.topologies.static_exponential import StaticExponential
from proofs_check.bounds.check import BoundCheck, potential_of
from proofs_check.bounds.settings import by_moments, of_row, residual_mixing_sum
from proofs_check.instruments.paths import world_of
from theory.constants import Constants
from theory.theorems.push_sum_uniform import push_sum_uniform
from theory.theorems.sgp import sgp

_HOPS, _CALLS = StaticExponential(4), RandomOutNeighbour(Complete(8))


def _apart(problem: Problem) -> Constants:
    """The potential of the values that are averaged, with weights of 1."""
    state = PushSum(RandomLinks(_CALLS)).init(problem.start(), world_of(problem, 0, 1))
    return Constants().state(initial_potential=float(potential_of(state)))


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck(
        "push-sum", f"consensus, {_CALLS.name}", push_sum_uniform,
        lambda: entries.problem("consensus", _CALLS.n),
        lambda _s, _p, _t: PushSum(RandomLinks(_CALLS)), 20, _apart,
    ),
    by_moments(
        "sgp", sgp, lambda s, _p, _t: SGP(s, FixedLinks(_HOPS)), 400,
        lambda: {"carried": residual_mixing_sum(_HOPS)},
    ),
    by_moments(
        "subgradient-push", sgp, lambda s, _p, _t: SubgradientPush(s, FixedLinks(_HOPS)), 400,
        lambda: {"carried": residual_mixing_sum(_HOPS)},
    ),
    by_moments(
        "gossipgrad", sgp, of_row("gossipgrad"), 400,
        lambda: {"carried": residual_mixing_sum(Dissemination(4))},
    ),
)  # fmt: skip
