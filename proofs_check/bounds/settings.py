"""Settings for the theorems of servers, compressed gossip and late gradients: BOUND_CHECKS."""

from __future__ import annotations

from collections.abc import Callable

from algorithms.compressors.base import Compressor
from algorithms.compressors.identity import Identity
from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.terngrad import TernGrad
from algorithms.compressors.top_k import TopK
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.gossip.choco import ChocoGossip, ChocoSGD, ChocoState
from algorithms.methods.gossip.d_psgd import DPSGD
from algorithms.methods.local_updates.local_sgd import LocalSGD
from algorithms.methods.parts.constants import operator_constants
from algorithms.methods.synchronous.bsp import BSP
from algorithms.methods.synchronous.parameter_server import ParameterServer
from algorithms.methods.variance_reduced.diana import Diana
from algorithms.problems import entries
from algorithms.problems.base import Problem
from algorithms.problems.least_squares_data import rising
from algorithms.problems.logistic import Logistic
from algorithms.problems.logistic_data import breast_cancer
from algorithms.problems.partitions import Dirichlet
from algorithms.problems.regularisers import L2, BoundedNonconvex, Regulariser
from algorithms.synchronisation.barriers import PartialBarrier
from algorithms.synchronisation.base import ComputeTimes
from algorithms.synchronisation.compute_times import Constant, Exponential
from algorithms.topologies.base import Topology
from algorithms.topologies.complete import Complete
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.bounds.check import REPLICAS, BoundCheck, Make, nothing_more
from proofs_check.instruments.paths import world_of
from proofs_check.studies.gossip.choco_gap import potential
from theory.constants import Constants
from theory.theorems.asysg_con import AsysgCon, asysg_con
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_strongly_convex import bsp_strongly_convex
from theory.theorems.bsp_strongly_convex_decreasing import bsp_strongly_convex_decreasing
from theory.theorems.choco_gossip import choco_gossip, consensus_stepsize
from theory.theorems.choco_sgd_nonconvex import choco_sgd_nonconvex
from theory.theorems.choco_sgd_strongly_convex import choco_sgd_strongly_convex
from theory.theorems.compressed_bsp_nonconvex import compressed_bsp_nonconvex
from theory.theorems.compressed_bsp_strongly_convex import compressed_bsp_strongly_convex
from theory.theorems.d_psgd import d_psgd
from theory.theorems.diana import diana
from theory.theorems.diana_nonconvex import diana_nonconvex
from theory.theorems.ef_sgd_nonconvex import ef_sgd_nonconvex
from theory.theorems.ef_sgd_two_way import ef_sgd_two_way
from theory.theorems.ef_sgd_workers import ef_sgd_workers
from theory.theorems.local_sgd import local_sgd
from theory.theorems.local_sgd_nonconvex import local_sgd_nonconvex
from theory.theorems.mem_sgd import mem_sgd

_STRONG = L2(0.5)
_BOUNDED = BoundedNonconvex(0.1)


def same_shards(n: int, regulariser: Regulariser) -> Problem:
    """All n workers hold the whole of breast_cancer: one objective, independent minibatches."""
    whole = breast_cancer(1, regulariser)
    rows = whole.rows.expand(n, -1, -1).contiguous()
    return Logistic(whole.name, rows, regulariser, whole.batch, "all of it on every worker")


def one_objective(problem: Problem) -> Constants:
    """zeta2 = 0, as all workers hold the same samples."""
    return Constants().state(zeta2=0.0)


def from_the_origin(problem: Problem) -> Constants:
    """Models and public copies all start at 0."""
    return Constants().state(initial_potential=0.0)


def second_moment(problem: Problem) -> Constants:
    """The problem's G2, good in a ball around 0; the check verifies that the run stays in it."""
    c = problem.constants()
    return Constants().state(c.statements["G2"], G2=c.need("G2"))


def both(problem: Problem) -> Constants:
    """The second moment, and a start at 0."""
    return second_moment(problem).merge(from_the_origin(problem))


def _bsp(compressor: Compressor) -> Make:
    return lambda step, _p, _t: BSP(step, compressor)


def _feedback(compressor: Compressor) -> Make:
    return lambda step, _p, _t: BSP(step, compressor, ErrorFeedback())


def _both_ways(up: Compressor, down: Compressor) -> Make:
    return lambda step, _p, _t: BSP(step, up, ErrorFeedback(), down, ErrorFeedback())


def _diana(compressor: Compressor) -> Make:
    return lambda step, _p, _t: Diana(step, compressor)


def _asp(times: ComputeTimes) -> Make:
    return lambda step, _p, steps: ParameterServer(step, steps, times, replicas=REPLICAS)


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
        world = world_of(problem, 0, 1)
        state: ChocoState = gossip(topology, operator, problem).init(problem.start(), world)
        return Constants().state(initial_potential=float(potential(state)))

    return BoundCheck(
        "choco-gossip", f"consensus, {topology.name}, {operator.name}", choco_gossip,
        lambda: entries.problem("consensus", topology.n),
        lambda _s, p, _t: gossip(topology, operator, p), steps, states,
    )  # fmt: skip


def _entry(name: str, n: int = 8) -> Callable[[], Problem]:
    return lambda: entries.problem(name, n)


_SC, _IID, _PL = "quadratic-sc", "quadratic-sc-iid", "quadratic-pl"
_NONCONVEX, _LOGREG = "nonconvex-breast-cancer", "logreg-breast-cancer, lam 0.5"
_RISING = "least squares, rising curvature"  # no uniform zeta2: Hessians differ


def _logreg(n: int) -> Callable[[], Problem]:
    return lambda: breast_cancer(n, _STRONG)


def _uneven(n: int) -> Callable[[], Problem]:
    return lambda: breast_cancer(n, _BOUNDED, partition=Dirichlet(0.3))


_PLAIN = (
    BoundCheck("bsp-sgd", _SC, bsp_nonconvex, _entry(_SC), _bsp(Identity()), 1000),
    BoundCheck("bsp-sgd", _PL, bsp_nonconvex, _entry(_PL), _bsp(Identity()), 1000),
    BoundCheck("bsp-sgd", _NONCONVEX, bsp_nonconvex, _entry(_NONCONVEX), _bsp(Identity()), 400),
    BoundCheck("bsp-sgd", _SC, bsp_strongly_convex, _entry(_SC), _bsp(Identity()), 500),
    BoundCheck("bsp-sgd", _SC, bsp_strongly_convex_decreasing, _entry(_SC), _bsp(Identity()), 1000),
    BoundCheck(
        "bsp-sgd", _LOGREG, bsp_strongly_convex_decreasing, _logreg(8), _bsp(Identity()), 400
    ),
)
_COMPRESSED = tuple(
    BoundCheck(row, problem, theorem, _entry(problem), _bsp(operator), 500)
    for row, operator in (
        ("qsgd", QSGD(4)),
        ("terngrad", TernGrad()),
        ("natural-compression", NaturalCompression()),
        ("random-k", RandK(0.25)),
    )
    for problem, theorem in (
        (_SC, compressed_bsp_strongly_convex),
        (_NONCONVEX, compressed_bsp_nonconvex),
    )
)
_UNEQUAL = tuple(
    BoundCheck(row, problem, theorem, setting, make, 500)
    for problem, setting in ((_RISING, rising), (_LOGREG, _logreg(8)))
    for row, theorem, make in (
        ("qsgd", compressed_bsp_strongly_convex, _bsp(QSGD(4))),
        ("diana", diana, _diana(RandK(0.25))),
    )
)
_FEEDBACK = (
    *(
        BoundCheck(row, _NONCONVEX, ef_sgd_nonconvex, _entry(_NONCONVEX, 1), _feedback(op), 500)
        for row, op in (("top-k", TopK(0.1)), ("ef-signsgd", ScaledSign()))
    ),
    BoundCheck(
        "error-feedback", _NONCONVEX, ef_sgd_workers, _entry(_NONCONVEX),
        _feedback(RandK(0.25, scaled=False)), 500,
    ),
    BoundCheck(
        "dist-ef-sgd", _NONCONVEX, ef_sgd_two_way, _entry(_NONCONVEX),
        _both_ways(RandK(0.5, scaled=False), TopK(0.5)), 500,
    ),
    BoundCheck("top-k", _LOGREG, mem_sgd, _logreg(1), _feedback(TopK(0.2)), 500,
        second_moment,
    ),
)  # fmt: skip
_SHIFTED = (
    BoundCheck("diana", _SC, diana, _entry(_SC), _diana(RandK(0.25)), 500),
    BoundCheck("diana", _NONCONVEX, diana_nonconvex, _entry(_NONCONVEX), _diana(TernGrad()), 500),
)
_LOCAL = (
    BoundCheck(
        "local-sgd", f"{_LOGREG}, equal shards", local_sgd, lambda: same_shards(4, _STRONG),
        lambda step, _p, _t: LocalSGD(step, 4), 500, one_objective,
    ),
    BoundCheck(
        "local-sgd", f"{_NONCONVEX}, equal shards", local_sgd_nonconvex,
        lambda: same_shards(4, _BOUNDED), lambda step, _p, _t: LocalSGD(step, 8), 400,
        one_objective,
    ),
    BoundCheck(
        "local-sgd", _IID, local_sgd_nonconvex, _entry(_IID),
        lambda step, _p, _t: LocalSGD(step, 8), 1000,
    ),
)  # fmt: skip
_GOSSIP = (
    BoundCheck(
        "d-psgd", _SC, d_psgd, _entry(_SC), lambda step, p, _t: DPSGD(step, Ring(p.n)), 1000
    ),
    BoundCheck(
        "d-psgd", f"{_NONCONVEX}, Dirichlet(0.3)", d_psgd, _uneven(8),
        lambda step, p, _t: DPSGD(step, Ring(p.n)), 400,
    ),
    _gossip_check(Ring(8), RandK(0.25, scaled=False), 1000),
    _gossip_check(Torus(4, 4), TopK(0.25), 500),
    _gossip_check(Complete(8), ScaledSign(), 500),
    BoundCheck(
        "choco-sgd", _LOGREG, choco_sgd_strongly_convex, _logreg(4),
        _choco(Complete(4), TopK(0.5)), 500, both,
    ),
    BoundCheck(
        "choco-sgd", f"{_NONCONVEX}, Dirichlet(0.3)", choco_sgd_nonconvex, _uneven(8),
        _choco(Ring(8), TopK(0.25)), 400, from_the_origin,
    ),
)  # fmt: skip
_ASYNCHRONOUS = tuple(
    BoundCheck(
        "asp", f"{problem}, {times.name}", asysg_con, setting, _asp(times), 1000, states,
    )
    for problem, setting, times, states in (
        (_IID, _entry(_IID), Constant(), nothing_more),
        (_IID, _entry(_IID, 4), Exponential(), nothing_more),
        (_NONCONVEX, lambda: same_shards(4, _BOUNDED), Exponential(), one_objective),
    )
)  # fmt: skip
_BATCHED = BoundCheck(  # M = 3 gradients in every update: the barrier waits for three arrivals
    "asp", f"{_IID}, M = 3", AsysgCon(M=3), _entry(_IID, 8),
    lambda step, _p, steps: ParameterServer(step, steps, Exponential(), PartialBarrier(3, steps)),
    1000,
)  # fmt: skip

BOUND_CHECKS: tuple[BoundCheck, ...] = (
    *_PLAIN, *_COMPRESSED, *_UNEQUAL, *_FEEDBACK, *_SHIFTED, *_LOCAL, *_GOSSIP,
    *_ASYNCHRONOUS, _BATCHED,
)  # fmt: skip
