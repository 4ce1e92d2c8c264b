"""Local SGD and PR-SGD under their bounds."""

from __future__ import annotations

from algorithms.methods.local_updates.local_sgd import LocalSGD
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import (
    BOUNDED,
    IID,
    LOGREG,
    NONCONVEX,
    STRONG,
    entry,
    one_objective,
    same_shards,
    uneven,
)
from theory.theorems.local_sgd import local_sgd
from theory.theorems.local_sgd_nonconvex import local_sgd_nonconvex
from theory.theorems.pr_sgd import pr_sgd

BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck(
        "local-sgd", f"{LOGREG}, equal shards", local_sgd, lambda: same_shards(4, STRONG),
        lambda step, _p, _t: LocalSGD(step, 4), 500, one_objective,
    ),
    BoundCheck(
        "local-sgd", f"{NONCONVEX}, equal shards", local_sgd_nonconvex,
        lambda: same_shards(4, BOUNDED), lambda step, _p, _t: LocalSGD(step, 8), 400,
        one_objective,
    ),
    BoundCheck(
        "local-sgd", IID, local_sgd_nonconvex, entry(IID),
        lambda step, _p, _t: LocalSGD(step, 8), 1000,
    ),
    BoundCheck(
        "pr-sgd", f"{NONCONVEX}, Dirichlet(0.3)", pr_sgd, uneven(8),
        lambda step, _p, _t: LocalSGD(step, 8), 400,
    ),
)  # fmt: skip
