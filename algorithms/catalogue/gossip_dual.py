"""Rows of gossip by duals: the optimal methods."""

from __future__ import annotations

from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import CORE, Recipe, Row
from algorithms.compressors.identity import Identity
from algorithms.methods.gossip_dual.communication_sliding import CommunicationSliding
from algorithms.methods.gossip_dual.dual_accelerated import DualAccelerated
from algorithms.methods.gossip_dual.msda import MSDA
from algorithms.methods.gossip_dual.mspd import MSPD
from algorithms.methods.parts.sliding_rules import ConvexSliding
from algorithms.problems.conjugate import LocalModel
from algorithms.topologies.ring import Ring
from theory.orders.communication_sliding import communication_sliding
from theory.orders.dual_accelerated import dual_accelerated
from theory.orders.msda import msda
from theory.orders.mspd import mspd
from theory.orders.sliding_strongly_convex import sliding_strongly_convex
from theory.orders.ssda import ssda

_INNER_MSPD, _INNER_SLIDING = 8, 16  # gradients between two exchanges
_SOLVABLE = CORE[:4]  # the MLP's local minimisations, one a step, take minutes
_NOT_SMOOTH = ("lad-diabetes-sorted", *CORE)  # what MSPD and sliding are for
_CURVATURES = (
    "rounds to a given accuracy are stated to order only; steps follow from curvatures and eigengap"
)

ENTRIES: tuple[Row, ...] = (
    entry(
        "ssda-msda",
        Recipe(
            lambda _s, p, _t: MSDA(Ring(p.n), LocalModel.from_problem(p)),
            (),
            Identity(),
            _SOLVABLE,
            why=_CURVATURES,
            least_workers=2,
            results=(msda, ssda),
        ),
    ),
    entry(
        "dual-accelerated",
        Recipe(
            lambda _s, p, _t: DualAccelerated(Ring(p.n), LocalModel.from_problem(p)),
            (),
            Identity(),
            _SOLVABLE,
            why=_CURVATURES,
            least_workers=2,
            results=(dual_accelerated,),
        ),
    ),
    entry(
        "mspd",
        Recipe(
            lambda step, p, _t: MSPD(step, Ring(p.n), _INNER_MSPD),
            (),
            Identity(),
            _NOT_SMOOTH,
            cycle="every outer step has weights of its own",
            why="time to a given accuracy is stated to order only",
            least_workers=2,
            results=(mspd,),
        ),
    ),
    entry(
        "dcs",
        Recipe(
            lambda step, p, _t: CommunicationSliding(
                ConvexSliding(step(0)), Ring(p.n), _INNER_SLIDING
            ),
            (),
            Identity(),
            _NOT_SMOOTH,
            cycle="every outer step has weights of its own",
            kept_step="gamma is the scale of all its steps, which is set once",
            why="rounds and gradients to a given accuracy are stated to order only",
            least_workers=2,
            results=(sliding_strongly_convex, communication_sliding),
        ),
    ),
)
