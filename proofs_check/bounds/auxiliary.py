"""Error feedback of several workers under its bound."""

from __future__ import annotations

from algorithms.compressors.rand_k import RandK
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import (
    NONCONVEX,
    entry,
    fed_back,
    feedback,
)
from theory.theorems.ef_sgd_workers import ef_sgd_workers

BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck(
        "error-feedback", NONCONVEX, ef_sgd_workers, entry(NONCONVEX),
        feedback(RandK(0.25, scaled=False)), 500,
    ),
    fed_back("error-feedback", ef_sgd_workers),
)  # fmt: skip
