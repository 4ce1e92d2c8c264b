"""DIANA under its bounds."""

from __future__ import annotations

from functools import partial

from algorithms.compressors.base import Compressor
from algorithms.compressors.qsgd import QSGD
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.terngrad import TernGrad
from algorithms.methods.variance_reduced.diana import Diana
from proofs_check.bounds.check import BoundCheck, Make
from proofs_check.bounds.settings import (
    EQUAL_CURVATURES,
    MILD,
    NONCONVEX,
    SC,
    UNEQUAL,
    entry,
    equal_curvatures,
    mild,
    of_row,
)
from theory.constants import Constants
from theory.theorems.cyclic_blocks import cyclic_blocks
from theory.theorems.diana import diana
from theory.theorems.diana_nonconvex import diana_nonconvex


def _diana(compressor: Compressor) -> Make:
    return lambda step, _p, _t: Diana(step, compressor)


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck("diana", SC, diana, entry(SC), _diana(RandK(0.25)), 500),
    BoundCheck("diana", NONCONVEX, diana_nonconvex, entry(NONCONVEX), _diana(TernGrad()), 500),
    BoundCheck(
        "diana",
        EQUAL_CURVATURES,
        diana_nonconvex,
        partial(equal_curvatures, 4, 1.0, 1.0),
        _diana(QSGD(4)),
        1000,
    ),
    BoundCheck(
        "bcd",
        f"{MILD}, no noise",
        cyclic_blocks,
        partial(mild, 4, 0.25, 10, 0.0),
        of_row("bcd"),
        400,
        lambda _problem: Constants().state(blocks=4),
    ),
    *(
        BoundCheck("diana", problem, diana, setting, _diana(RandK(0.25)), 500)
        for problem, setting in UNEQUAL
    ),
)
