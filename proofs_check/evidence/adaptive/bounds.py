"""Layer-wise adaptive top-k under the bounds of error feedback."""

from __future__ import annotations

from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import fed_back
from theory.theorems.ef_sgd_workers import ef_sgd_workers
from theory.theorems.layer_wise_adaptive import layer_wise_adaptive

BOUND_CHECKS: tuple[BoundCheck, ...] = (
    fed_back("lags", ef_sgd_workers),
    fed_back("lags", layer_wise_adaptive),
)
