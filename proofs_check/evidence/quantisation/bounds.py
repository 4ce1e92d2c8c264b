"""Unbiased quantisers under the bounds of compressed BSP-SGD."""

from __future__ import annotations

from functools import partial

from algorithms.compressors.natural_compression import NaturalCompression
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.terngrad import TernGrad
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import (
    EQUAL_CURVATURES,
    NONCONVEX,
    PL,
    SC,
    UNEQUAL,
    bsp,
    entry,
    equal_curvatures,
)
from theory.theorems.compressed_bsp_nonconvex import compressed_bsp_nonconvex
from theory.theorems.compressed_bsp_pl import compressed_bsp_pl
from theory.theorems.compressed_bsp_strongly_convex import compressed_bsp_strongly_convex

BOUND_CHECKS: tuple[BoundCheck, ...] = (
    *(
        BoundCheck(row, problem, theorem, entry(problem), bsp(operator), 500)
        for row, operator in (
            ("qsgd", QSGD(4)),
            ("terngrad", TernGrad()),
            ("natural-compression", NaturalCompression()),
        )
        for problem, theorem in (
            (SC, compressed_bsp_strongly_convex),
            (NONCONVEX, compressed_bsp_nonconvex),
        )
    ),
    BoundCheck("qsgd", PL, compressed_bsp_pl, entry(PL), bsp(QSGD(4)), 1000),
    BoundCheck(
        "qsgd",
        EQUAL_CURVATURES,
        compressed_bsp_pl,
        partial(equal_curvatures, 4),
        bsp(QSGD(4)),
        1000,
    ),
    *(
        BoundCheck("qsgd", problem, compressed_bsp_strongly_convex, setting, bsp(QSGD(4)), 500)
        for problem, setting in UNEQUAL
    ),
)
