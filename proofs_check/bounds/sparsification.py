"""Random-k and top-k under the bounds of compressed BSP-SGD and of error feedback."""

from __future__ import annotations

from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from algorithms.problems.quadratic import Quadratic
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import (
    LOGREG,
    NONCONVEX,
    SC,
    bsp,
    entry,
    feedback,
    logreg,
    second_moment,
)
from theory.theorems.compressed_bsp_nonconvex import compressed_bsp_nonconvex
from theory.theorems.compressed_bsp_strongly_convex import compressed_bsp_strongly_convex
from theory.theorems.contraction_descent import contraction_descent
from theory.theorems.ef_sgd_nonconvex import ef_sgd_nonconvex
from theory.theorems.mem_sgd import mem_sgd


def noiseless() -> Quadratic:
    """One worker with exact gradients."""
    return Quadratic.strongly_convex(1, 40, L=1.0, mu=0.01, sigma2=0.0)


BOUND_CHECKS: tuple[BoundCheck, ...] = (
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
    BoundCheck("top-k", LOGREG, mem_sgd, logreg(1), feedback(TopK(0.2)), 500, second_moment),
)
