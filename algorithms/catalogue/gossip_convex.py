"""Rows of the family gossip for convex functions: descent, projection, mirrors, dual averaging."""

from __future__ import annotations

import math
from typing import Any

from algorithms.catalogue.entries import entry
from algorithms.catalogue.row import CORE, Recipe, Row
from algorithms.compressors.identity import Identity
from algorithms.methods.base import Method
from algorithms.methods.gossip_convex.dgd import dgd
from algorithms.methods.gossip_convex.gossip_dual_averaging import (
    GossipDualAveraging,
    sample_exchange_of,
)
from algorithms.methods.gossip_convex.mirror_descent import MirrorDescent
from algorithms.methods.gossip_convex.projected_dgd import projected_dgd
from algorithms.problems import absolute_data, quadratic_data
from algorithms.problems.base import Problem
from algorithms.sets.ball import Ball
from algorithms.sets.geometry import Euclidean, Geometry, NegativeEntropy
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from theory.orders.gossip_dual_averaging import gossip_dual_averaging
from theory.stepsizes import Stepsize
from theory.theorems.d_psgd import d_psgd
from theory.theorems.dgd import dgd as dgd_theorem
from theory.theorems.dual_averaging import dual_averaging
from theory.theorems.mirror_descent import mirror_descent
from theory.theorems.projected_dgd import projected_dgd as projected_theorem

_CONVEX = (*CORE, "lad-diabetes-sorted")  # whose gradients are bounded
_WIDE = Ball(100.0)  # the minimisers of unconstrained problems lie well within


def _ball(problem: Problem) -> Ball:
    """The set of a problem that has one; else a ball that bounds gradients and binds nothing."""
    return Ball(problem.within) if problem.within < math.inf else _WIDE


def _geometry(problem: Problem) -> Geometry:
    """The entropy on the simplex; off it mirror descent is taken in the Euclidean distance."""
    if problem.name == absolute_data.SIMPLEX:
        return NegativeEntropy()
    return Euclidean() if problem.within == math.inf else Euclidean(Ball(problem.within))


def _mirror_descent(step: Stepsize, problem: Problem, _steps: int) -> Method[Any]:
    return MirrorDescent(step, Ring(problem.n), _geometry(problem))


def _sums_and_guests(problem: Problem, float_bits: int) -> float:
    """Half of the messages are sums of d numbers, half the guests where there are any."""
    guests = sample_exchange_of(problem).numbers
    return float_bits * (problem.d + guests) / (2.0 if guests else 1.0)


ENTRIES: tuple[Row, ...] = (
    entry(
        "dgd",
        Recipe(
            lambda step, p, _t: dgd(step, Ring(p.n)),
            (d_psgd, dgd_theorem),
            Identity(),
            _CONVEX,
        ),
    ),
    entry(
        "projected-dgd",
        Recipe(
            lambda step, p, _t: projected_dgd(step, Ring(p.n), _ball(p)),
            (projected_theorem,),
            Identity(),
            (quadratic_data.BOUND[0], *_CONVEX),
        ),
    ),
    entry(
        "gossip-dual-averaging",
        Recipe(
            lambda step, p, _t: GossipDualAveraging(
                step, RandomEdge(Ring(p.n)), sample_exchange_of(p)
            ),
            (dual_averaging,),
            Identity(),
            (*_CONVEX, "pairwise-logistic"),
            message_bits=_sums_and_guests,
            least_workers=2,
            results=(gossip_dual_averaging,),
        ),
    ),
    entry(
        "mirror-descent",
        Recipe(
            _mirror_descent,
            (projected_theorem, mirror_descent),
            Identity(),
            (absolute_data.SIMPLEX, "lad-diabetes-sorted"),
            practice=_mirror_descent,  # the proven stepsize pays for the ring by its worst case
        ),
    ),
)
