"""D-PSGD, CHOCO-Gossip and CHOCO-SGD under their bounds."""

from __future__ import annotations

from functools import partial

from algorithms.compressors.base import Compressor
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.top_k import TopK
from algorithms.methods.gossip.choco import ChocoGossip, ChocoSGD, ChocoState
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.parts.constants import operator_constants
from algorithms.problems import entries
from algorithms.problems.base import Problem
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.bounds.check import BoundCheck, Make
from proofs_check.bounds.settings import (
    BALL,
    EQUAL_CURVATURES,
    LOGREG,
    MILD,
    NONCONVEX,
    SC,
    both,
    entry,
    equal_curvatures,
    from_the_origin,
    logreg,
    mild,
    moment_in_ball,
    of_row,
    uneven,
)
from proofs_check.instruments.graph_ladder import potential
from proofs_check.instruments.paths import world_of
from theory.constants import Constants
from theory.theorems.choco_gossip import choco_gossip, consensus_stepsize
from theory.theorems.choco_sgd_nonconvex import choco_sgd_nonconvex
from theory.theorems.choco_sgd_strongly_convex import choco_sgd_strongly_convex
from theory.theorems.d_psgd import d_psgd
from theory.theorems.d_psgd_variance import d_psgd_variance


def _consensus_step(topology: Topology, operator: Compressor, d: int) -> float:
    return consensus_stepsize(topology.constants().merge(operator_constants(operator, d)))


def _choco(topology: Topology, operator: Compressor) -> Make:
    return lambda step, p, _t: ChocoSGD(
        step, topology, operator, _consensus_step(topology, operator, p.d)
    )


def gossip(topology: Topology, operator: Compressor, problem: Problem) -> ChocoGossip:
    """CHOCO-Gossip with the prescribed consensus stepsize."""
    return ChocoGossip(topology, operator, _consensus_step(topology, operator, problem.d))


def _gossip_check(topology: Topology, operator: Compressor, steps: int) -> BoundCheck:
    def states(problem: Problem) -> Constants:
        context = world_of(problem, 0, 1)
        state: ChocoState = gossip(topology, operator, problem).init(problem.start(), context)
        return Constants().state(initial_potential=float(potential(state)))

    return BoundCheck(
        "choco-gossip", f"consensus, {topology.name}, {operator.name}", choco_gossip,
        lambda: entries.problem("consensus", topology.n),
        lambda _s, p, _t: gossip(topology, operator, p), steps, states,
    )  # fmt: skip


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck(
        "d-psgd", SC, d_psgd, entry(SC), lambda step, p, _t: DPSGD(step, Ring(p.n)), 1000
    ),
    BoundCheck(
        "d-psgd", f"{NONCONVEX}, Dirichlet(0.3)", d_psgd, uneven(8),
        lambda step, p, _t: DPSGD(step, Ring(p.n)), 400,
    ),
    BoundCheck(
        "d-psgd", EQUAL_CURVATURES, d_psgd, partial(equal_curvatures, 8, 100.0, 0.0, 10),
        lambda step, p, _t: DPSGD(step, Complete(p.n)), 2000,
    ),
    *(
        BoundCheck(
            "d-psgd", name, d_psgd_variance, partial(mild, 4, zeta2), of_row("d-psgd"), 1000
        )
        for name, zeta2 in ((MILD, 0.25), (f"{MILD}, one objective", 0.0))
    ),
    BoundCheck("d-psgd", MILD, d_psgd, partial(mild, 4, 0.25), of_row("d-psgd"), 1000),
    _gossip_check(Ring(8), RandK(0.25, scaled=False), 1000),
    _gossip_check(Torus(4, 4), TopK(0.25), 500),
    _gossip_check(Complete(8), ScaledSign(), 500),
    BoundCheck(
        "choco-sgd", LOGREG, choco_sgd_strongly_convex, logreg(4),
        _choco(Complete(4), TopK(0.5)), 500, both,
    ),
    BoundCheck(
        "choco-sgd", EQUAL_CURVATURES, choco_sgd_strongly_convex,
        partial(equal_curvatures, 4, 0.1, 0.0, 4),
        _choco(Complete(4), TopK(0.8)), 8500, moment_in_ball, BALL,
    ),
    BoundCheck(
        "choco-sgd", f"{NONCONVEX}, Dirichlet(0.3)", choco_sgd_nonconvex, uneven(8),
        _choco(Ring(8), TopK(0.25)), 400, from_the_origin,
    ),
    BoundCheck(
        "choco-sgd", MILD, choco_sgd_nonconvex, partial(mild, 4, 0.25),
        _choco(Complete(4), TopK(0.8)), 3500, moment_in_ball, BALL,
    ),
)  # fmt: skip
