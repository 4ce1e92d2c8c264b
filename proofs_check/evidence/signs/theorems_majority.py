"""Majority votes of signs: derivations; signs with error feedback under bounds."""

from __future__ import annotations

import math
from functools import partial
from typing import Any

import sympy as sp

from algorithms.compressors.base import Compressor
from algorithms.compressors.fixed_point import FixedPoint
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.scaled_sign import ScaledSign
from algorithms.compressors.top_k import TopK
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Law, Quadratic
from proofs_check.bounds.check import BoundCheck, Make
from proofs_check.bounds.settings import (
    MILD,
    NONCONVEX,
    bsp,
    by_moments,
    by_variance,
    entry,
    fed_back,
    feedback,
    mild,
    of_row,
)
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled, truth
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates
from proofs_check.verdict import Verdict
from theory.constants import Constants, Kind, Statement
from theory.theorems.bsp_nonconvex import bsp_nonconvex
from theory.theorems.dist_ef_sgdm import dist_ef_sgdm
from theory.theorems.ecq_sgd import ecq_sgd
from theory.theorems.ef_sgd_nonconvex import ef_sgd_nonconvex
from theory.theorems.ef_sgd_two_way import ef_sgd_two_way
from theory.theorems.ef_sgd_workers import ef_sgd_workers
from theory.theorems.signsgd import signsgd
from theory.theorems.signsgd_majority import signsgd_majority
from theory.theorems.signsgd_majority_small_batches import signsgd_majority_small_batches
from theory.theorems.signsgd_small_batches import signsgd_small_batches

L1, sigma1, n, gap = sp.symbols("L_one sigma_one n initial_gap", positive=True)
MARGIN = sp.Rational(3, 5)
"""Right less wrong, at epsilon = 1/sqrt(n) at least."""


def _vote(eps: Any, workers: int) -> Any:
    """Right less wrong of an odd number of workers, each right with 1/2 + eps."""
    half = sp.Rational(1, 2)
    return sum(
        sp.binomial(workers, k)
        * (
            (half + eps) ** k * (half - eps) ** (workers - k)
            - (half - eps) ** k * (half + eps) ** (workers - k)
        )
        for k in range(workers // 2 + 1, workers + 1)
    )


def _concave() -> tuple[DerivationStep, ...]:
    """The derivative of the chance that j or more of n are right is n C(n-1, j-1) p^(j-1) q^(n-j),
    by a sum that telescopes; with j = (n + 1)/2 it is a power of p q = 1/4 - eps^2, which falls."""
    k, N = sp.symbols("k N", integer=True, positive=True)
    eps, e = sp.symbols("epsilon e", nonnegative=True)
    up = sp.binomial(N, k) * k / (N * sp.binomial(N - 1, k - 1))
    down = sp.binomial(N, k) * (N - k) / (N * sp.binomial(N - 1, k))
    falls = (sp.Rational(1, 4) - eps**2) - (sp.Rational(1, 4) - (eps + e) ** 2)
    return (
        equality("k C(n, k) = n C(n-1, k-1)", sp.simplify(sp.gammasimp(up)), 1),
        equality("(n - k) C(n, k) = n C(n-1, k)", sp.simplify(sp.gammasimp(down)), 1),
        *(
            equality(
                f"the slope of {count} votes",
                sp.expand(sp.diff(_vote(eps, count), eps)),
                sp.expand(
                    2 * count * sp.binomial(count - 1, count // 2)
                    * (sp.Rational(1, 4) - eps**2) ** (count // 2)
                ),
            )
            for count in (1, 3, 5, 7)
        ),
        nonnegative("the slope falls", sp.expand(falls), eps, e),
        truth("certain votes are right", all(_vote(sp.Rational(1, 2), c) == 1 for c in (1, 3, 5))),
    )  # fmt: skip


def prove_signsgd_majority_small_batches(margin: Any = MARGIN) -> Verdict:
    """Right less wrong is at least ``margin`` min(1, sqrt(n) eps), eps >= min(S/(2 sqrt(3)), 1/3).

    Cantelli at eps: P(wrong) <= V/(V + (n eps)^2) <= 1/(1 + 4 n eps^2), V = n (1/4 - eps^2). The
    vote is concave in eps and 1 at 1/2, so above 2 eps, which is what n < 9 needs. a = 1/(2 (1 +
    v)), S = 2 (1 + u)/sqrt(3).
    """
    eps, S, a, s, g, B = sp.symbols("epsilon S a s g B", positive=True)
    u, v = sp.symbols("u v", nonnegative=True)
    V = n * (sp.Rational(1, 4) - eps**2)
    chance, simple = V / (V + (n * eps) ** 2), 1 / (1 + 4 * n * eps**2)
    apart = sp.simplify((1 / simple - 1 / chance) * (sp.Rational(1, 4) - eps**2))
    edged = (1 - 2 * simple).subs(eps, 1 / sp.sqrt(n))
    far = sp.Rational(1, 2) - 2 / (9 * S**2)
    near = S / (2 * sp.sqrt(3))
    edge = 2 / sp.sqrt(3)
    line = 2 * a * g - a**2 * s
    one = sp.symbols("mean", positive=True)
    step = -GAMMA * margin * one + GAMMA**2 * L1 / 2
    total = sp.solve(sp.Eq(-gap, TIME * step), one)[0]
    mixed = (gap / (GAMMA * TIME) + GAMMA * L1 / 2) / margin
    worth = B / (2 * a) + a * s / 2
    best = sp.sqrt(B / s)
    noise = 2 / sp.sqrt(3) * sp.Min(1, 3 / sp.sqrt(n)) * sigma1
    bound = sp.Piecewise((sp.sqrt(mixed * noise), 4 * mixed <= noise), (mixed + noise / 4, True))
    return settled(
        "signsgd_majority_small_batches",
        f"votes are right more often than wrong by {margin} min(1, sqrt(n) eps), so the one-norm "
        "is at most sqrt(B s), s of order 1/sqrt(n)",
        "derived; setting of Bernstein et al. 2019, arXiv:1810.05291",
        *_concave(),
        equality("Cantelli's chance is below 1/(1 + 4 n eps^2)", apart, -4 * n * eps**4),
        equality("right less wrong at 1/sqrt(n)", edged, margin),
        truth("three votes are above 2 eps, which is more", 2 > margin * sp.sqrt(3)),
        truth("the two bounds of Gauss meet", sp.simplify((far - near).subs(S, edge)) == 0),
        truth("at a third", sp.simplify(near.subs(S, edge)) == sp.Rational(1, 3)),
        nonnegative(
            "a strong signal is above it",
            sp.cancel((far - sp.Rational(1, 3)).subs(S, edge * (1 + u))), u,
        ),
        truth("n < 9, weak: 2 eps", 1 / sp.sqrt(3) > margin * sp.sqrt(3) / 2),
        truth("n < 9, strong: 2/3", sp.Rational(2, 3) > margin),
        equality("n >= 9: sqrt(n) eps", sp.sqrt(n) * near, S / (edge * 3 / sp.sqrt(n))),
        equality("the line below a weak signal", sp.expand(g**2 / s - line), (g - a * s) ** 2 / s),
        nonnegative("and below a strong one", (g + a**2 * s - 2 * a * g).subs(a, 1 / (2 * (1 + v))),
                    v, g, s),
        equality("the sum of T steps", sp.simplify(total - mixed), 0),
        equality("the best a", sp.diff(worth, a).subs(a, best), 0),
        equality("what it gives", worth.subs(a, best), sp.sqrt(B * s)),
        equality("at a = 1/2", worth.subs(a, sp.Rational(1, 2)), B + s / 4),
        evaluates(signsgd_majority_small_batches, bound),
        evaluates(signsgd_majority_small_batches, bound, n=1),  # where the root of n does not count
    )  # fmt: skip


PROOFS = (prove_signsgd_majority_small_batches,)

COVERS = {"prove_signsgd_majority_small_batches": ("signsgd-majority",)}


# Signs with error feedback, one way and both, under its bounds.


def _both_ways(up: Compressor, down: Compressor) -> Make:
    return lambda step, _p, _t: BSP(step, up, ErrorFeedback(), down, ErrorFeedback())


_GRID = FixedPoint(3, 8)  # an eighth, up to 16: beyond all gradients there are
QUIET = f"{MILD}, variance 0.005"


def _by_coordinate(problem: Problem) -> Constants:
    """Constants of a quadratic by coordinate: curvatures, and noise of one normal law for all."""
    assert isinstance(problem, Quadratic) and problem.law is Law.GAUSSIAN
    curvature = float(problem.a.mean(0).sum())
    noise = math.sqrt(problem.d * problem.sigma2)
    return Constants().state(L_one=curvature, sigma_one=noise, symmetric_noise=True)


def _rounded(problem: Problem) -> Constants:
    """Rounding adds a quarter of the squared grid a coordinate, without bias within the range.

    The start's coordinates are at most 2/sqrt(10), noise and heterogeneity bounded: no step leads
    beyond.
    """
    known = Statement(Kind.UPPER, "uniform", "gradient noise, and that of the grid")
    noise = problem.constants().need("sigma2") + problem.d * _GRID.step**2 / 4
    return Constants().state(known, sigma2=noise)


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    by_variance("ef-signsgd", ScaledSign()),
    BoundCheck(
        "ef-signsgd", NONCONVEX, ef_sgd_nonconvex, entry(NONCONVEX, 1), feedback(ScaledSign()), 500
    ),
    BoundCheck(
        "dist-ef-sgd", NONCONVEX, ef_sgd_two_way, entry(NONCONVEX),
        _both_ways(RandK(0.5, scaled=False), TopK(0.5)), 500,
    ),
    *(
        BoundCheck(
            theorem.name.replace("_", "-"), QUIET, theorem, partial(mild, n, 0.0, 10, 0.005),
            of_row(theorem.name.replace("_", "-")), 300, _by_coordinate,
        )
        for theorem, n in ((signsgd, 1), (signsgd_majority, 5))
    ),
    *(
        BoundCheck(
            "signsgd", name, signsgd_small_batches, partial(mild, 1, 0.0, d, sigma2),
            of_row("signsgd"), steps, _by_coordinate,
        )
        for name, d, sigma2, steps in (
            (QUIET, 10, 0.005, 300), (f"{MILD}, two coordinates, much noise", 2, 20.0, 2000),
        )
    ),
    *(
        BoundCheck(
            "signsgd-majority", name, signsgd_majority_small_batches,
            partial(mild, n, 0.0, d, sigma2), of_row("signsgd-majority"), steps, _by_coordinate,
        )
        for name, n, d, sigma2, steps in (
            (QUIET, 5, 10, 0.005, 300), (f"{MILD}, two coordinates, much noise", 25, 2, 20.0, 2000),
        )
    ),
    BoundCheck(
        "low-precision-sgd", f"{MILD}, noise of signs", bsp_nonconvex,
        partial(mild, 4, 0.25, law=Law.RADEMACHER), bsp(_GRID), 400, _rounded,
    ),
    by_moments(
        "dist-ef-sgd", dist_ef_sgdm, of_row("dist-ef-sgd"), 1000, lambda: {"momentum": 0.5}, d=2
    ),
    by_moments(
        "ecq-sgd", ecq_sgd, of_row("ecq-sgd"), 400, lambda: {"echoed": 0.5, "remembered": 0.9}
    ),
    *(fed_back(row, ef_sgd_workers) for row in ("one-bit-sgd", "ef-signsgd", "three-lc")),
)  # fmt: skip
