"""Random-k and top-k under the bounds of compressed BSP-SGD and of error feedback."""

from __future__ import annotations

from functools import partial

from algorithms.compressors.layerwise import LayerWise
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.row_top_k import RowTopK
from algorithms.compressors.sbc import SBC
from algorithms.compressors.stc import STC
from algorithms.compressors.top_k import TopK
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.sparsification.communication_delay import CommunicationDelay
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import (
    BALL,
    EQUAL_CURVATURES,
    LOGREG,
    MILD,
    NOISY,
    NONCONVEX,
    SC,
    bsp,
    by_variance,
    delta_of,
    entry,
    equal_curvatures,
    fed_back,
    feedback,
    logreg,
    mild,
    moment_in_ball,
    near,
    noisy,
    second_moment,
)
from theory.rules.virtual_iterate_deviation import fed_back_locally
from theory.stepsizes import Stepsize
from theory.theorems.compressed_bsp_nonconvex import compressed_bsp_nonconvex
from theory.theorems.compressed_bsp_strongly_convex import compressed_bsp_strongly_convex
from theory.theorems.contraction_descent import contraction_descent
from theory.theorems.ef_sgd_nonconvex import ef_sgd_nonconvex
from theory.theorems.ef_sgd_two_way import ef_sgd_two_way
from theory.theorems.ef_sgd_two_way_variance import ef_sgd_two_way_variance
from theory.theorems.ef_sgd_workers import ef_sgd_workers
from theory.theorems.mem_sgd import mem_sgd
from theory.theorems.top_k_analytic import top_k_analytic


def noiseless() -> Quadratic:
    """One worker with exact gradients."""
    return Quadratic.strongly_convex(1, 40, L=1.0, mu=0.01, sigma2=0.0)


def _ternary(step: Stepsize, _problem: Problem, _steps: int) -> BSP:
    """Half of the coordinates both ways: a sparser one loses too much of four."""
    half = STC(0.5)
    return BSP(step, half, ErrorFeedback(), downlink=half, server_memory=ErrorFeedback())


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    by_variance("top-k", TopK(0.5)),
    *(
        BoundCheck("random-k", problem, theorem, entry(problem), bsp(RandK(0.25)), 500)
        for problem, theorem in (
            (SC, compressed_bsp_strongly_convex),
            (NONCONVEX, compressed_bsp_nonconvex),
        )
    ),
    BoundCheck("top-k", NONCONVEX, ef_sgd_nonconvex, entry(NONCONVEX, 1), feedback(TopK(0.1)), 500),
    BoundCheck(
        "top-k",
        "curvatures 1 to 100, no noise, no memory",
        contraction_descent,
        noiseless,
        bsp(TopK(0.1)),
        500,
    ),
    *(fed_back(row, ef_sgd_workers) for row in ("top-k", "dryden", "aji-heafield")),
    fed_back("top-k", top_k_analytic),
    near(
        "sbc",
        lambda: fed_back_locally(2, delta_of(SBC(0.25), 4)),
        lambda step, _p, _t: CommunicationDelay(step, 2, SBC(0.25)),
        800,
        d=4,
    ),
    fed_back("stc", ef_sgd_two_way, _ternary, d=4),
    BoundCheck(
        "stc",
        f"{MILD}, four coordinates",
        ef_sgd_two_way_variance,
        partial(mild, 4, 0.25, 4),
        _ternary,
        3000,
    ),
    BoundCheck(
        "meprop",
        "curvatures 1 to 100, no noise, rows of ten",
        contraction_descent,
        noiseless,
        lambda step, p, _t: BSP(step, LayerWise(RowTopK(0.5)).for_shapes(((4, 10),))),
        200,
    ),
    BoundCheck(
        "top-k",
        NOISY,
        ef_sgd_nonconvex,
        partial(noisy, 1),
        feedback(TopK(0.75)),
        2000,
        moment_in_ball,
        BALL,
    ),
    BoundCheck(
        "top-k",
        EQUAL_CURVATURES,
        mem_sgd,
        partial(equal_curvatures, 1, 0.1, 0.0, 4),
        feedback(TopK(0.75)),
        1000,
        moment_in_ball,
        BALL,
    ),
    BoundCheck("top-k", LOGREG, mem_sgd, logreg(1), feedback(TopK(0.2)), 500, second_moment),
)
