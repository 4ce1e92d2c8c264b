"""Gossip over directed links whose matrices are doubly stochastic, so that weights stay 1."""

from __future__ import annotations

from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.methods.gossip_directed.subgradient_push import SubgradientPush
from algorithms.topologies.dissemination import Dissemination
from algorithms.topologies.static_exponential import StaticExponential
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import left_of_steps, near, of_row
from theory.rules.reaches import mixed

_HOPS = StaticExponential(4)

BOUND_CHECKS: tuple[BoundCheck, ...] = (
    near(
        "sgp", mixed(left_of_steps(_HOPS)), lambda s, _p, _t: SGP(s, FixedLinks(_HOPS)), 400
    ),
    near(
        "subgradient-push", mixed(left_of_steps(_HOPS)),
        lambda s, _p, _t: SubgradientPush(s, FixedLinks(_HOPS)), 400,
    ),
    near("gossipgrad", mixed(left_of_steps(Dissemination(4))), of_row("gossipgrad"), 400),
)  # fmt: skip
