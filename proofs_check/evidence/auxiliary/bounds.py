"""Error feedback of several workers under its bound."""

from __future__ import annotations

from functools import partial

from algorithms.compressors.hard_threshold import HardThreshold
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from algorithms.memories.global_momentum import GlobalMomentum
from algorithms.memories.momentum_correction import MomentumCorrection
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import (
    MILD,
    NONCONVEX,
    by_moments,
    delta_of,
    entry,
    fed_back,
    feedback,
    mild,
    near,
    of_row,
)
from theory.rules.virtual_iterate_deviation import fed_back_momentum, left
from theory.theorems.absolute_compressor_ef import absolute_compressor_ef
from theory.theorems.ef_sgd_variance import ef_sgd_variance
from theory.theorems.ef_sgd_workers import ef_sgd_workers
from theory.theorems.global_momentum import global_momentum

_HALF, _M, _LITTLE, _NEAR = TopK(0.5), 0.5, 0.2, 1e-3

BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck(
        "error-feedback", NONCONVEX, ef_sgd_workers, entry(NONCONVEX),
        feedback(RandK(0.25, scaled=False)), 500,
    ),
    fed_back("error-feedback", ef_sgd_workers),
    BoundCheck(
        "error-feedback", MILD, ef_sgd_variance, partial(mild, 4, 0.25), of_row("error-feedback"),
        600, rated=True,
    ),
    BoundCheck(
        "error-feedback", NONCONVEX, absolute_compressor_ef, entry(NONCONVEX),
        feedback(HardThreshold(_NEAR)), 500,
    ),
    near(
        "momentum-correction", lambda: fed_back_momentum(_M, left(delta_of(_HALF, 4))),
        lambda step, _p, _t: BSP(step, _HALF, MomentumCorrection(_M)), 600, d=4,
    ),
    by_moments(
        "gmc", global_momentum,
        lambda step, _p, _t: BSP(step, TopK(0.75), GlobalMomentum(_LITTLE)), 800,
        lambda: {"momentum": _LITTLE, "delta": delta_of(TopK(0.75), 4)}, d=4,
    ),
)  # fmt: skip
