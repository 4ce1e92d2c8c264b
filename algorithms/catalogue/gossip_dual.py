"""Rows of gossip by duals: the optimal methods."""

from __future__ import annotations

from algorithms.catalogue.row import CORE, Recipe
from algorithms.compressors.identity import Identity
from algorithms.methods.gossip_dual.communication_sliding import CommunicationSliding
from algorithms.methods.gossip_dual.dual_accelerated import DualAccelerated
from algorithms.methods.gossip_dual.msda import MSDA
from algorithms.methods.gossip_dual.mspd import MSPD
from algorithms.methods.parts.sliding_rules import ConvexSliding
from algorithms.problems.conjugate import LocalModel
from algorithms.topologies.ring import Ring

_INNER_MSPD, _INNER_SLIDING = 8, 4  # gradients between two exchanges
_SOLVABLE = CORE[:3]  # the MLP's local minimisations, one a step, take minutes
_CURVATURES = (
    "rounds to a given accuracy are stated to order only; steps follow from curvatures and eigengap"
)

READY: dict[str, Recipe] = {
    "ssda-msda": Recipe(
        lambda _s, p, _t: MSDA(Ring(p.n), LocalModel.of(p)), (), Identity(), _SOLVABLE,
        why=_CURVATURES,
        least_workers=2,
    ),
    "dual-accelerated": Recipe(
        lambda _s, p, _t: DualAccelerated(Ring(p.n), LocalModel.of(p)), (), Identity(), _SOLVABLE,
        why=_CURVATURES,
        least_workers=2,
    ),
    "mspd": Recipe(
        lambda step, p, _t: MSPD(step, Ring(p.n), _INNER_MSPD), (), Identity(),
        stepsize_divisor=0.25,
        why="time to a given accuracy is stated to order only",
        least_workers=2,
    ),
    "dcs": Recipe(
        lambda step, p, _t: CommunicationSliding(
            ConvexSliding(step(0)), Ring(p.n), _INNER_SLIDING
        ),
        (), Identity(), stepsize_divisor=1.0,
        why="rounds and gradients to a given accuracy are stated to order only",
        least_workers=2,
    ),
}  # fmt: skip
