"""Layer-wise adaptive top-k under the bound of error feedback."""

from __future__ import annotations

from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import fed_back
from theory.theorems.ef_sgd_workers import ef_sgd_workers

BOUND_CHECKS: tuple[BoundCheck, ...] = (fed_back("lags", ef_sgd_workers),)
