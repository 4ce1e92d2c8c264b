"""Settings for the theorems on bounded gradients, convex: BOUND_CHECKS.

Least absolute deviations on diabetes, shards sorted by target, four samples a gradient; logistic
regression, whose regulariser's gradient is bounded on a ball alone.
"""

from __future__ import annotations

from functools import partial

from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.gossip_convex.dual_averaging import DualAveraging
from algorithms.methods.gossip_convex.gossip_dual_averaging import GossipDualAveraging
from algorithms.methods.gossip_convex.mirror_descent import MirrorDescent
from algorithms.methods.gossip_convex.projected_dgd import projected_dgd
from algorithms.problems import entries
from algorithms.problems.absolute_data import SIMPLEX, diabetes, simplex_signs
from algorithms.problems.base import Problem
from algorithms.sets.ball import Ball
from algorithms.sets.geometry import NegativeEntropy
from algorithms.topologies.complete import Complete
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import ALIGNED, MILD, aligned, mild, of_row
from theory.stepsizes import Stepsize
from theory.theorems.d_psgd import d_psgd
from theory.theorems.dgd import dgd
from theory.theorems.dual_averaging import dual_averaging
from theory.theorems.mirror_descent import mirror_descent as mirror
from theory.theorems.projected_dgd import projected_dgd as projected

_LAD, _LOGREG = "lad-diabetes-sorted, 4 samples", "logreg-breast-cancer"
_SIGNS = partial(simplex_signs, 8)
_EIGHT, _NINE = partial(diabetes, 8, batch=4), partial(diabetes, 9, batch=4)


def _entropic(
    graph: type[Ring] | type[Complete], step: Stepsize, objective: Problem, _steps: int
) -> MirrorDescent:
    return MirrorDescent(step, graph(objective.n), NegativeEntropy())


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck("dgd", _LAD, dgd, _EIGHT, lambda step, p, _t: DPSGD(step, Ring(p.n)), 400),
    BoundCheck(
        "projected-dgd", _LAD, projected, _EIGHT,
        lambda step, p, _t: projected_dgd(step, Ring(p.n), Ball(1.0)), 400,
    ),
    BoundCheck(
        "projected-dgd", _LOGREG, projected, partial(entries.problem, _LOGREG, 8),
        lambda step, p, _t: projected_dgd(step, Ring(p.n), Ball(2.0)), 400,
    ),
    BoundCheck(
        "mirror-descent", _LAD, projected, _NINE,
        lambda step, _p, _t: MirrorDescent(step, Torus(3, 3)), 400,
    ),
    *(
        BoundCheck(
            "mirror-descent", f"{SIMPLEX}, {graph.__name__.lower()}", mirror, _SIGNS,
            partial(_entropic, graph), 1000,
        )
        for graph in (Ring, Complete)
    ),
    BoundCheck(
        "gossip-dual-averaging", f"{_LAD}, ring", dual_averaging, _EIGHT,
        lambda step, p, _t: DualAveraging(step, Ring(p.n)), 400,
    ),
    BoundCheck(
        "gossip-dual-averaging", f"{_LAD}, random pairs", dual_averaging, _EIGHT,
        lambda step, p, _t: GossipDualAveraging(step, RandomEdge(Complete(p.n))), 400,
    ),
    BoundCheck("dgd", MILD, d_psgd, partial(mild, 4, 0.25), of_row("dgd"), 1000),
    *(
        BoundCheck(row, ALIGNED, theorem, partial(aligned, 4), of_row(row), steps, rated=True)
        for row, theorem, steps in (
            ("dgd", dgd, 400),
            # nearly attained in the end: up to 400 steps they are still on their way to the bound
            ("projected-dgd", projected, 2000),
            ("mirror-descent", projected, 2000),
        )
    ),
    BoundCheck(
        "gossip-dual-averaging", f"{ALIGNED}, ring", dual_averaging, partial(aligned, 4),
        lambda step, p, _t: DualAveraging(step, Ring(p.n)), 1000,
    ),
    BoundCheck(
        "gossip-dual-averaging", f"{ALIGNED}, one pair", dual_averaging, partial(aligned, 2),
        of_row("gossip-dual-averaging"), 1000,
    ),
)  # fmt: skip
