"""Local SGD and PR-SGD under their bounds."""

from __future__ import annotations

from functools import partial

from algorithms.compressors.composed import QuantisedTopK
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.local_updates.local_sgd import AtMeetings, LocalSGD
from algorithms.optimizers.momentum import Momentum
from algorithms.synchronisation.periods import OneShot
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import (
    BALL,
    BOUNDED,
    EQUAL_CURVATURES,
    IID,
    LOGREG,
    MILD,
    NOISY,
    NONCONVEX,
    STRONG,
    bent,
    by_moments,
    entry,
    equal_curvatures,
    mild,
    moment_in_ball,
    near,
    noisy,
    of_row,
    one_objective,
    same_shards,
    straight,
    uneven,
)
from theory.rules.virtual_iterate_deviation import block_momentum
from theory.theorems.local_sgd import local_sgd
from theory.theorems.local_sgd_nonconvex import local_sgd_nonconvex
from theory.theorems.local_sgd_pl import local_sgd_pl
from theory.theorems.lupa_sgd import lupa_sgd
from theory.theorems.one_shot_averaging import one_shot_averaging
from theory.theorems.one_shot_strongly_convex import one_shot_strongly_convex
from theory.theorems.pqasgd import pqasgd
from theory.theorems.pr_sgd import pr_sgd
from theory.theorems.pr_sgd_momentum import pr_sgd_momentum
from theory.theorems.pr_sgd_momentum_variance import pr_sgd_momentum_variance
from theory.theorems.qsparse_local import qsparse_local

_COMPOSED = QuantisedTopK(0.5, 15)

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
        "pr-sgd", MILD, local_sgd_pl, partial(mild, 8, 0.25),
        lambda step, _p, _t: LocalSGD(step, 4), 2000, moment_in_ball, BALL,
    ),
    BoundCheck(
        "pr-sgd", EQUAL_CURVATURES, local_sgd_pl, partial(equal_curvatures, 8, 0.5, 0.0, 10),
        lambda step, _p, _t: LocalSGD(step, 2), 2000, moment_in_ball, BALL,
    ),
    BoundCheck(
        "one-shot-averaging", EQUAL_CURVATURES, one_shot_strongly_convex,
        partial(equal_curvatures, 4),
        lambda step, _p, steps: LocalSGD(step, OneShot(steps)), 1000,
    ),
    BoundCheck(
        "one-shot-averaging", EQUAL_CURVATURES, one_shot_averaging, partial(equal_curvatures, 4),
        lambda step, _p, steps: LocalSGD(step, OneShot(steps)), 1000, straight,
    ),
    BoundCheck(
        "one-shot-averaging", f"{LOGREG}, equal shards, features a fifth", one_shot_averaging,
        partial(same_shards, 4, STRONG, 0.2),
        lambda step, _p, steps: LocalSGD(step, OneShot(steps)), 400, bent,
    ),
    BoundCheck("lupa-sgd", MILD, lupa_sgd, partial(mild, 8, 0.0), of_row("lupa-sgd"), 2000),
    BoundCheck(
        "pr-sgd-momentum", MILD, pr_sgd_momentum, partial(mild, 8, 0.25),
        lambda step, _p, _t: LocalSGD(step, 4, Momentum(0.5), AtMeetings.AVERAGED), 2000,
        moment_in_ball, BALL,
    ),
    BoundCheck(
        "pr-sgd-momentum", MILD, pr_sgd_momentum_variance, partial(mild, 4, 0.25),
        lambda step, _p, _t: LocalSGD(step, 4, Momentum(0.5), AtMeetings.AVERAGED), 1500,
    ),
    BoundCheck(
        "pr-sgd-momentum", EQUAL_CURVATURES, pr_sgd_momentum_variance,
        partial(equal_curvatures, 4),
        lambda step, _p, _t: LocalSGD(step, 4, Momentum(0.5), AtMeetings.AVERAGED), 1500,
    ),
    BoundCheck(
        "one-shot-averaging", f"{LOGREG}, equal shards", one_shot_strongly_convex,
        lambda: same_shards(4, STRONG), lambda step, _p, steps: LocalSGD(step, OneShot(steps)), 400,
        one_objective,
    ),
    BoundCheck(
        "pr-sgd", f"{NONCONVEX}, Dirichlet(0.3)", pr_sgd, uneven(8),
        lambda step, _p, _t: LocalSGD(step, 8), 400,
    ),
    BoundCheck(
        "pr-sgd", NOISY, pr_sgd, partial(noisy, 2), lambda step, _p, _t: LocalSGD(step, 2), 2000,
        moment_in_ball, BALL,
    ),
    BoundCheck(
        "local-sgd", EQUAL_CURVATURES, local_sgd, partial(equal_curvatures, 4, 4.0, 0.0, 4),
        lambda step, _p, _t: LocalSGD(step, 2), 1000, moment_in_ball, BALL,
    ),
    by_moments("pqasgd", pqasgd, of_row("pqasgd"), 400),
    by_moments(
        "qsparse-local-sgd", qsparse_local,
        lambda step, _p, _t: LocalSGD(step, 2, compressor=_COMPOSED, memory=ErrorFeedback()), 600,
        d=4,
    ),
    near("bmuf", lambda: block_momentum(8, 0.5), of_row("bmuf"), 600, n=2),
    *(
        BoundCheck(
            row, MILD, local_sgd_nonconvex, partial(mild, 4, 0.0), of_row(row), 400, rated=True
        )
        for row in ("k-avg", "lupa-sgd", "post-local-sgd", "adacomm")
    ),
)  # fmt: skip
