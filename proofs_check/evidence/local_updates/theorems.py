"""Local SGD and PR-SGD: the derivation with momentum by variances; runs under bounds."""

from __future__ import annotations

from functools import partial
from typing import Any

import sympy as sp

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
from proofs_check.evidence.local_updates.proofs_variants import virtual
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes
from proofs_check.proofs.norms import about_the_mean
from proofs_check.verdict import Verdict
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

n, L, sigma2, zeta2, H, m = sp.symbols("n L_max sigma2 zeta2 H_velocity momentum", positive=True)
gap = sp.Symbol("initial_gap", positive=True)
eta = GAMMA / (1 - m)
y = eta * L
SPREAD = eta**2 * (H - 1) * (2 * (2 * H - 1) * zeta2 / 3 + sigma2) / (1 - 2 * y**2 * H * (H - 1))
BEHIND = 2 * eta**2 * m**2 * sigma2 / ((1 - m**2) * n)


def _period(spread: Any) -> tuple[DerivationStep, ...]:
    """The mean over a period of Xi = (1/n) sum_i E||x_i - xbar||^2 is at most ``spread``.

    s steps after a meeting x_i - xbar is -eta times a sum of s gradients' distances from their
    mean, by weights 1 - m^k of at most 1: noise is orthogonal over steps, means have squares of at
    most 2 L^2 Xi + 2 zeta2 each.
    """
    s, whole, v = sp.Symbol("s", integer=True), sp.Symbol("Xi", nonnegative=True), symbol("v")
    a, b = sp.symbols("a b", real=True)
    k = sp.Symbol("k", integer=True, nonnegative=True)
    r = sp.Function("r")  # velocity that one gradient leaves, summed over k steps
    moved = sp.rsolve(r(k + 1) - m * r(k) - 1, r(k), {r(0): 0})
    own = sp.summation(2 * s * 2 * L**2 * whole, (s, 0, H - 1))
    apart = sp.summation(2 * s * (s * 2 * zeta2 + sigma2), (s, 0, H - 1))
    mean = sp.solve(sp.Eq(H * whole, eta**2 * (H * own + apart)), whole)[0]
    left = 1 - 2 * y**2 * H * (H - 1)
    least = sp.simplify(left.subs(GAMMA, (1 - m) / (2 * H * L * (1 + v))) - sp.Rational(1, 2))
    j, rest = sp.symbols("j rest", nonnegative=True)
    parts = (2 * (H - 1) * (2 * H - 1) / 3, H - 1, 2 * H * (H - 1))
    shorter = [(p - p.subs(H, 1 + j)).subs(H, 1 + j + rest) for p in parts]
    return (
        equality("weights of what a gradient moves", sp.simplify(moved * (1 - m)), 1 - m**k),
        equality("two parts of a gradient", 2 * a**2 + 2 * b**2 - (a + b) ** 2, (a - b) ** 2),
        equality("a period pays for itself", sp.simplify(mean - spread), 0),
        nonnegative("D is at least a half", sp.expand(least * 2 * H * (1 + v) ** 2), H, v),
        *(nonnegative("a shorter period spreads less", sp.expand(p), j, rest) for p in shorter),
    )  # fmt: skip


def _velocities() -> tuple[DerivationStep, ...]:
    """sum_t ||sum_k m^k h_(t-k)||^2 is at most the sum of all ||h||^2 over (1 - m)^2; noise of the
    same weights is orthogonal."""
    h = sp.symbols("h_0:3", real=True)
    weights = [m**k for k in range(3)]
    room = sum(weights) * sum(w * x**2 for w, x in zip(weights, h, strict=True))
    room -= sum(w * x for w, x in zip(weights, h, strict=True)) ** 2
    pairs = sum(weights[i] * weights[j] * (h[i] - h[j]) ** 2 for i in range(3) for j in range(i))
    K = sp.Symbol("K", integer=True, positive=True)
    k = sp.Symbol("k", integer=True)
    total = sp.summation(sp.Symbol("x") ** k, (k, 0, K - 1)).args[-1][0]
    x = sp.Symbol("x")
    return (
        equality("Cauchy and Schwarz by powers of m", sp.expand(room), sp.expand(pairs)),
        equality("powers sum to less than 1/(1 - m)", sp.simplify(total * (1 - x)), 1 - x**K),
    )


def prove_pr_sgd_momentum_variance(spread: Any = SPREAD, behind: Any = BEHIND) -> Verdict:
    """Workers are within ``spread`` of their mean, the mean within ``behind`` of the virtual model
    beside what the descent along h pays for.

    Along z by eta = gamma/(1 - m): f falls by eta/2 (g2 + h2 - L^2 Xi) - eta L^2 Z - eta/4 h2, Z =
    ||z - xbar||^2 = (gamma m/(1 - m))^2 ||ubar||^2. R = sqrt(1 + 8 q^2) = 1 + u.
    """
    g2, h2, xi, u, v = sp.symbols("g2 h2 Xi u v", nonnegative=True)
    q = m / (1 - m)
    late = (GAMMA * q) ** 2 * (2 * h2 / (1 - m) ** 2 + 2 * sigma2 / ((1 - m**2) * n))
    fall = eta / 2 * (g2 + h2 - L**2 * xi) - eta * L**2 * late - eta / 4 * h2
    change = -fall + eta**2 * L / 2 * (h2 + sigma2 / n)
    of_h2 = sp.simplify(sp.expand(change).coeff(h2) / eta)
    w, Q, R = sp.symbols("w Q R", positive=True)
    told = -sp.Rational(1, 4) + w / 2 + 2 * w**2 * Q**2
    room = (-told).subs(Q, sp.sqrt((R**2 - 1) / 8)).subs(w, 1 / ((1 + R) * (1 + v)))
    rest = sp.expand(change).subs(h2, 0)
    total = sp.solve(sp.Eq(-gap, TIME * rest), g2)[0].subs(xi, spread)
    bound = 2 * gap / (eta * TIME) + eta * L * sigma2 / n + 2 * L**2 * behind + L**2 * spread
    return settled(
        "pr_sgd_momentum_variance",
        f"workers are within {spread} of their mean, so O(1/sqrt(nT)) without bounded gradients",
        "derived; setting of Yu, Jin, Yang 2019, arXiv:1905.03817",
        *virtual(),
        about_the_mean(),
        *_period(spread),
        *_velocities(),
        equality("what h2 is multiplied by", of_h2, told.subs({w: y, Q: q})),
        nonnegative("h2 pays for velocities and the step", sp.cancel(room.subs(R, 1 + u)), u, v),
        equality("the sum of T steps", sp.simplify(total - bound), 0),
        computes(pr_sgd_momentum_variance, bound),
    )


PROOFS = (prove_pr_sgd_momentum_variance,)


# Local SGD and PR-SGD under their bounds.

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
