"""Signs with error feedback, one way and both, under its bounds."""

from __future__ import annotations

import math
from functools import partial

from algorithms.compressors.base import Compressor
from algorithms.compressors.fixed_point import FixedPoint
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.top_k import TopK
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Law, Quadratic
from proofs_check.bounds.check import BoundCheck, Make
from proofs_check.bounds.settings import (
    MILD,
    NONCONVEX,
    bsp,
    by_moments,
    by_variance,
    entry,
    fed_back,
    feedback,
    mild,
    of_row,
)
from theory.constants import Constants, Kind, Statement
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.dist_ef_sgdm import dist_ef_sgdm
from theory.theorems.ecq_sgd import ecq_sgd
from theory.theorems.ef_sgd_nonconvex import ef_sgd_nonconvex
from theory.theorems.ef_sgd_two_way import ef_sgd_two_way
from theory.theorems.ef_sgd_workers import ef_sgd_workers
from theory.theorems.signsgd import signsgd
from theory.theorems.signsgd_majority import signsgd_majority
from theory.theorems.signsgd_majority_small_batches import signsgd_majority_small_batches
from theory.theorems.signsgd_small_batches import signsgd_small_batches


def _both_ways(up: Compressor, down: Compressor) -> Make:
    return lambda step, _p, _t: BSP(step, up, ErrorFeedback(), down, ErrorFeedback())


_GRID = FixedPoint(3, 8)  # an eighth, up to 16: beyond all gradients there are
QUIET = f"{MILD}, variance 0.005"


def _by_coordinate(problem: Problem) -> Constants:
    """Constants of a quadratic by coordinate: curvatures, and noise of one normal law for all."""
    assert isinstance(problem, Quadratic) and problem.law is Law.GAUSSIAN
    curvature = float(problem.a.mean(0).sum())
    noise = math.sqrt(problem.d * problem.sigma2)
    return Constants().state(L_one=curvature, sigma_one=noise, symmetric_noise=True)


def _rounded(problem: Problem) -> Constants:
    """Rounding adds a quarter of the squared grid a coordinate, without bias within the range.

    The start's coordinates are at most 2/sqrt(10), noise and heterogeneity bounded: no step leads
    beyond.
    """
    known = Statement(Kind.UPPER, "uniform", "gradient noise, and that of the grid")
    noise = problem.constants().need("sigma2") + problem.d * _GRID.step**2 / 4
    return Constants().state(known, sigma2=noise)


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    by_variance("ef-signsgd", ScaledSign()),
    BoundCheck(
        "ef-signsgd", NONCONVEX, ef_sgd_nonconvex, entry(NONCONVEX, 1), feedback(ScaledSign()), 500
    ),
    BoundCheck(
        "dist-ef-sgd", NONCONVEX, ef_sgd_two_way, entry(NONCONVEX),
        _both_ways(RandK(0.5, scaled=False), TopK(0.5)), 500,
    ),
    *(
        BoundCheck(
            theorem.name.replace("_", "-"), QUIET, theorem, partial(mild, n, 0.0, 10, 0.005),
            of_row(theorem.name.replace("_", "-")), 300, _by_coordinate,
        )
        for theorem, n in ((signsgd, 1), (signsgd_majority, 5))
    ),
    *(
        BoundCheck(
            "signsgd", name, signsgd_small_batches, partial(mild, 1, 0.0, d, sigma2),
            of_row("signsgd"), steps, _by_coordinate,
        )
        for name, d, sigma2, steps in (
            (QUIET, 10, 0.005, 300), (f"{MILD}, two coordinates, much noise", 2, 20.0, 2000),
        )
    ),
    *(
        BoundCheck(
            "signsgd-majority", name, signsgd_majority_small_batches,
            partial(mild, n, 0.0, d, sigma2), of_row("signsgd-majority"), steps, _by_coordinate,
        )
        for name, n, d, sigma2, steps in (
            (QUIET, 5, 10, 0.005, 300), (f"{MILD}, two coordinates, much noise", 25, 2, 20.0, 2000),
        )
    ),
    BoundCheck(
        "low-precision-sgd", f"{MILD}, noise of signs", bsp_nonconvex,
        partial(mild, 4, 0.25, law=Law.RADEMACHER), bsp(_GRID), 400, _rounded,
    ),
    by_moments(
        "dist-ef-sgd", dist_ef_sgdm, of_row("dist-ef-sgd"), 1000, lambda: {"momentum": 0.5}, d=2
    ),
    by_moments(
        "ecq-sgd", ecq_sgd, of_row("ecq-sgd"), 400, lambda: {"echoed": 0.5, "remembered": 0.9}
    ),
    *(fed_back(row, ef_sgd_workers) for row in ("one-bit-sgd", "ef-signsgd", "three-lc")),
)  # fmt: skip
