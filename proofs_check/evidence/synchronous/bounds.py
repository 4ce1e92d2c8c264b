"""BSP-SGD under its bounds."""

from __future__ import annotations

from functools import partial

from algorithms.compressors.identity import Identity
from algorithms.methods.synchronous.parameter_server import ParameterServer, Weighting
from algorithms.problems.base import Problem
from algorithms.synchronisation.base import Barrier
from algorithms.synchronisation.compute_times import Constant, Exponential
from algorithms.synchronisation.stale import SSP, EagerSSP
from proofs_check.bounds.check import BoundCheck, Make
from proofs_check.bounds.settings import (
    ALIGNED,
    EQUAL_CURVATURES,
    LOGREG,
    MILD,
    NONCONVEX,
    PL,
    SC,
    aligned,
    bsp,
    entry,
    equal_curvatures,
    logreg,
    mild,
    near_minimum,
    of_row,
)
from theory.stepsizes import ScaledStep, Stepsize
from theory.theorems.asysg_con import asysg_con
from theory.theorems.asysg_incon import asysg_incon
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_pl import bsp_pl
from theory.theorems.bsp_strongly_convex import bsp_strongly_convex
from theory.theorems.bsp_strongly_convex_decreasing import bsp_strongly_convex_decreasing
from theory.theorems.ssp import ssp
from theory.theorems.ssp_constant_step import ssp_constant_step


def _stale(barrier: Barrier) -> Make:
    """Each of n gradients moves the server by ``step`` itself, which the row divides by n.

    A worker sees its own updates at once and others' by the barrier: reads that lack any of the
    last tau updates.
    """

    def make(step: Stepsize, problem: Problem, steps: int) -> ParameterServer:
        whole = ScaledStep(step, problem.n, 1.0)
        return ParameterServer(whole, steps, Exponential(), barrier, Weighting.ALL)

    return make


def _summed(barrier: Barrier, by_clock: bool = False) -> Make:
    """Each gradient is added undivided; worker i of n takes 1 + i/n seconds for each."""

    def make(step: Stepsize, problem: Problem, steps: int) -> ParameterServer:
        times = Constant(tuple(1 + i / problem.n for i in range(problem.n)))
        return ParameterServer(step, steps, times, barrier, Weighting.SUM, by_clock=by_clock)

    return make


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck("bsp-sgd", SC, bsp_nonconvex, entry(SC), bsp(Identity()), 1000),
    BoundCheck("bsp-sgd", PL, bsp_nonconvex, entry(PL), bsp(Identity()), 1000),
    BoundCheck("bsp-sgd", PL, bsp_pl, entry(PL), bsp(Identity()), 1000),
    BoundCheck("bsp-sgd", NONCONVEX, bsp_nonconvex, entry(NONCONVEX), bsp(Identity()), 400),
    BoundCheck("bsp-sgd", SC, bsp_strongly_convex, entry(SC), bsp(Identity()), 500),
    BoundCheck("bsp-sgd", SC, bsp_strongly_convex_decreasing, entry(SC), bsp(Identity()), 1000),
    BoundCheck("bsp-sgd", LOGREG, bsp_strongly_convex_decreasing, logreg(8), bsp(Identity()), 400),
    *(
        BoundCheck(
            "bsp-sgd",
            EQUAL_CURVATURES,
            theorem,
            partial(equal_curvatures, 4),
            bsp(Identity()),
            1000,
        )
        for theorem in (bsp_pl, bsp_strongly_convex, bsp_strongly_convex_decreasing)
    ),
    BoundCheck("r2sp", MILD, asysg_con, partial(mild, 4, 0.0), of_row("r2sp"), 800),
    BoundCheck("ssp", MILD, asysg_incon, partial(mild, 4, 0.0), _stale(SSP(3)), 800),
    BoundCheck("ssp", ALIGNED, ssp, partial(aligned, 4), _summed(SSP(1), True), 1600, near_minimum),
    BoundCheck("ssp", ALIGNED, ssp_constant_step, partial(aligned, 4), _summed(SSP(1)), 1600),
    BoundCheck("essp", ALIGNED, ssp_constant_step, partial(aligned, 4), _summed(EagerSSP(1)), 1600),
    BoundCheck("essp", MILD, asysg_incon, partial(mild, 4, 0.0), _stale(EagerSSP(3)), 800),
)
