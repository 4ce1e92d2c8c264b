"""BSP-SGD under its bounds."""

from __future__ import annotations

from algorithms.compressors.identity import Identity
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import (
    LOGREG,
    NONCONVEX,
    PL,
    SC,
    bsp,
    entry,
    logreg,
)
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.bsp_pl import bsp_pl
from theory.theorems.bsp_strongly_convex import bsp_strongly_convex
from theory.theorems.bsp_strongly_convex_decreasing import bsp_strongly_convex_decreasing

BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck("bsp-sgd", SC, bsp_nonconvex, entry(SC), bsp(Identity()), 1000),
    BoundCheck("bsp-sgd", PL, bsp_nonconvex, entry(PL), bsp(Identity()), 1000),
    BoundCheck("bsp-sgd", PL, bsp_pl, entry(PL), bsp(Identity()), 1000),
    BoundCheck("bsp-sgd", NONCONVEX, bsp_nonconvex, entry(NONCONVEX), bsp(Identity()), 400),
    BoundCheck("bsp-sgd", SC, bsp_strongly_convex, entry(SC), bsp(Identity()), 500),
    BoundCheck("bsp-sgd", SC, bsp_strongly_convex_decreasing, entry(SC), bsp(Identity()), 1000),
    BoundCheck("bsp-sgd", LOGREG, bsp_strongly_convex_decreasing, logreg(8), bsp(Identity()), 400),
)
