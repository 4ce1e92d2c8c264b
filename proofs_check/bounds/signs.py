"""Signs with error feedback, one way and both, under its bounds."""

from __future__ import annotations

from algorithms.compressors.base import Compressor
from algorithms.compressors.layerwise import LayerWise
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.top_k import TopK
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.bounds.check import BoundCheck, Make
from proofs_check.bounds.settings import (
    NONCONVEX,
    delta_of,
    entry,
    fed_back,
    feedback,
    near,
    of_row,
    omega_of,
)
from theory.rules.reaches import both_ways, decaying, fed_back_nesterov
from theory.theorems.ef_sgd_nonconvex import ef_sgd_nonconvex
from theory.theorems.ef_sgd_two_way import ef_sgd_two_way
from theory.theorems.ef_sgd_workers import ef_sgd_workers


def _both_ways(up: Compressor, down: Compressor) -> Make:
    return lambda step, _p, _t: BSP(step, up, ErrorFeedback(), down, ErrorFeedback())


_BLOCKS = LayerWise(ScaledSign())

BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck(
        "ef-signsgd", NONCONVEX, ef_sgd_nonconvex, entry(NONCONVEX, 1), feedback(ScaledSign()), 500
    ),
    BoundCheck(
        "dist-ef-sgd", NONCONVEX, ef_sgd_two_way, entry(NONCONVEX),
        _both_ways(RandK(0.5, scaled=False), TopK(0.5)), 500,
    ),
    near(
        "dist-ef-sgd",
        fed_back_nesterov(0.5, both_ways(*(delta_of(_BLOCKS.for_shapes(((2,),)), 2),) * 2)),
        of_row("dist-ef-sgd"), 1000, d=2,
    ),
    near(
        "ecq-sgd", decaying(0.5, 0.9, omega_of(QSGD(4), 10)), of_row("ecq-sgd"), 400,
    ),
    *(fed_back(row, ef_sgd_workers) for row in ("one-bit-sgd", "ef-signsgd", "three-lc")),
)  # fmt: skip
