"""Signs with error feedback, one way and both, under its bounds."""

from __future__ import annotations

from algorithms.compressors.base import Compressor
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.top_k import TopK
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.bounds.check import BoundCheck, Make
from proofs_check.bounds.settings import (
    NONCONVEX,
    entry,
    fed_back,
    feedback,
)
from theory.theorems.ef_sgd_nonconvex import ef_sgd_nonconvex
from theory.theorems.ef_sgd_two_way import ef_sgd_two_way
from theory.theorems.ef_sgd_workers import ef_sgd_workers


def _both_ways(up: Compressor, down: Compressor) -> Make:
    return lambda step, _p, _t: BSP(step, up, ErrorFeedback(), down, ErrorFeedback())


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck(
        "ef-signsgd", NONCONVEX, ef_sgd_nonconvex, entry(NONCONVEX, 1), feedback(ScaledSign()), 500
    ),
    BoundCheck(
        "dist-ef-sgd", NONCONVEX, ef_sgd_two_way, entry(NONCONVEX),
        _both_ways(RandK(0.5, scaled=False), TopK(0.5)), 500,
    ),
    *(fed_back(row, ef_sgd_workers) for row in ("one-bit-sgd", "ef-signsgd", "three-lc")),
)  # fmt: skip
