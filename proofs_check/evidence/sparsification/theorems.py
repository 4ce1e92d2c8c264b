"""Error feedback: by variances, random-k and top-k under bounds, a study of its leading term."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import scipy
import sympy as sp
from torch import Tensor

from algorithms.compressors.identity import Identity
from algorithms.compressors.layerwise import LayerWise
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.row_top_k import RowTopK
from algorithms.compressors.sbc import SBC
from algorithms.compressors.stc import STC
from algorithms.compressors.top_k import TopK
from algorithms.engine.run import run
from algorithms.memories.base import Memory
from algorithms.memories.error_feedback import ErrorFeedback
from algorithms.methods.base import Method
from algorithms.methods.sparsification.communication_delay import CommunicationDelay
from algorithms.methods.synchronous.bsp import BSP
from algorithms.problems.base import Problem
from algorithms.problems.quadratic import Quadratic
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import (
    BALL,
    EQUAL_CURVATURES,
    LOGREG,
    MILD,
    NOISY,
    NONCONVEX,
    SC,
    bsp,
    by_variance,
    delta_of,
    entry,
    equal_curvatures,
    fed_back,
    feedback,
    logreg,
    mild,
    moment_in_ball,
    near,
    noisy,
    second_moment,
)
from proofs_check.instruments.evidence import ALPHA
from proofs_check.instruments.rates import fit_power, rate_verdict
from proofs_check.instruments.study import StudyResult, fitted, study
from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes
from proofs_check.proofs.norms import about_the_mean, triangle
from proofs_check.verdict import Outcome, Verdict
from theory.arrays import Floats
from theory.rules.virtual_iterate_deviation import fed_back_locally
from theory.stepsizes import InverseTimeStep, Stepsize
from theory.theorems.compressed_bsp_nonconvex import compressed_bsp_nonconvex
from theory.theorems.compressed_bsp_strongly_convex import compressed_bsp_strongly_convex
from theory.theorems.contraction_descent import contraction_descent
from theory.theorems.ef_sgd_nonconvex import ef_sgd_nonconvex
from theory.theorems.ef_sgd_two_way import ef_sgd_two_way
from theory.theorems.ef_sgd_two_way_variance import ef_sgd_two_way_variance
from theory.theorems.ef_sgd_workers import ef_sgd_workers
from theory.theorems.mem_sgd import mem_sgd
from theory.theorems.top_k_analytic import top_k_analytic

n, L, sigma2, zeta2, gap, r1, r2 = sp.symbols("n L sigma2 zeta2 initial_gap r1 r2", positive=True)
TOGETHER = (r1 + r2) / ((1 - r1) * (1 - r2))


def prove_ef_sgd_two_way_variance(claimed: Any = TOGETHER) -> Verdict:
    """sqrt((1/T) sum_t E||e + mean e_i||^2) <= gamma ``claimed`` ||g||, r_j = sqrt(1 - delta_j).

    ||.|| is the root of the mean square over steps and workers. A residual after a step is at most
    r (||e|| + gamma ||g||), residuals begin at 0, and those before a step are summed over fewer.
    G is the mean over steps of ||grad f(x)||^2; gamma = 1/(2 L A (1 + v)).
    """
    x, e, s, g, up, down = sp.symbols("x e s g C1 C2", real=True)
    worker = g + e - up
    server = up + s - down
    after = (x - down) - worker - server
    mine = r1 / (1 - r1)
    message = 1 + 2 * mine
    theirs = r2 / (1 - r2) * message
    G, v = sp.symbols("G v", nonnegative=True)
    A = sp.Symbol("A", positive=True)
    residuals = (GAMMA * A) ** 2 * (G + zeta2 + sigma2)
    rest = -GAMMA / 2 * G + GAMMA * L**2 * residuals + GAMMA**2 * L / 2 * sigma2 / n
    total = sp.solve(sp.Eq(-gap, TIME * rest), G)[0]
    D = 1 - 2 * (GAMMA * L * A) ** 2
    own = 2 * (GAMMA * L * A) ** 2 * (zeta2 + sigma2)
    bound = (2 * gap / (GAMMA * TIME) + GAMMA * L * sigma2 / n + own) / D
    half = sp.simplify(D.subs(GAMMA, 1 / (2 * L * A * (1 + v))) - sp.Rational(1, 2))
    p, w = sp.symbols("p w", real=True)
    lost = {r1: sp.sqrt(1 - symbol("delta_up")), r2: sp.sqrt(1 - symbol("delta_down"))}
    return settled(
        "ef_sgd_two_way_variance",
        f"both residuals are at most gamma {claimed} times the gradients of the run",
        "derived; setting of Zheng, Huang, Kwok 2019, arXiv:1905.10936",
        *triangle(),
        about_the_mean(),
        equality("the virtual iterate takes the plain step", after, x - e - s - g),
        equality("the workers' fixed point", r1 * (1 + mine), mine),
        equality("the mean message is g + e - e+", up, g + e - worker),
        equality("the server's fixed point", r2 * (message + theirs), theirs),
        equality("the two together", sp.simplify(mine + theirs - claimed), 0),
        equality("the residual, by a square", p * (p - w) - 3 * p**2 / 4 + w**2, (p / 2 - w) ** 2),
        nonnegative(
            "a quarter pays for the step, gamma <= 1/(2 L)",
            sp.simplify((GAMMA / 4 - GAMMA**2 * L / 2).subs(GAMMA, 1 / (2 * L * (1 + v)))), v, L,
        ),
        nonnegative("D is at least a half", sp.cancel(half), v),
        equality("the sum of T steps", sp.simplify(total - bound), 0),
        computes(ef_sgd_two_way_variance, bound.subs(A, claimed).subs(lost)),
    )  # fmt: skip


PROOFS = (prove_ef_sgd_two_way_variance,)


# Random-k and top-k under the bounds of compressed BSP-SGD and of error feedback.


def noiseless() -> Quadratic:
    """One worker with exact gradients."""
    return Quadratic.strongly_convex(1, 40, L=1.0, mu=0.01, sigma2=0.0)


def _ternary(step: Stepsize, _problem: Problem, _steps: int) -> BSP:
    """Half of the coordinates both ways: a sparser one loses too much of four."""
    half = STC(0.5)
    return BSP(step, half, ErrorFeedback(), downlink=half, server_memory=ErrorFeedback())


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    by_variance("top-k", TopK(0.5)),
    *(
        BoundCheck("random-k", problem, theorem, entry(problem), bsp(RandK(0.25)), 500)
        for problem, theorem in (
            (SC, compressed_bsp_strongly_convex),
            (NONCONVEX, compressed_bsp_nonconvex),
        )
    ),
    BoundCheck("top-k", NONCONVEX, ef_sgd_nonconvex, entry(NONCONVEX, 1), feedback(TopK(0.1)), 500),
    BoundCheck(
        "top-k",
        "curvatures 1 to 100, no noise, no memory",
        contraction_descent,
        noiseless,
        bsp(TopK(0.1)),
        500,
    ),
    *(fed_back(row, ef_sgd_workers) for row in ("top-k", "dryden", "aji-heafield")),
    fed_back("top-k", top_k_analytic),
    near(
        "sbc",
        lambda: fed_back_locally(2, delta_of(SBC(0.25), 4)),
        lambda step, _p, _t: CommunicationDelay(step, 2, SBC(0.25)),
        800,
        d=4,
    ),
    fed_back("stc", ef_sgd_two_way, _ternary, d=4),
    BoundCheck(
        "stc",
        f"{MILD}, four coordinates",
        ef_sgd_two_way_variance,
        partial(mild, 4, 0.25, 4),
        _ternary,
        3000,
    ),
    BoundCheck(
        "meprop",
        "curvatures 1 to 100, no noise, rows of ten",
        contraction_descent,
        noiseless,
        lambda step, p, _t: BSP(step, LayerWise(RowTopK(0.5)).for_shapes(((4, 10),))),
        200,
    ),
    BoundCheck(
        "top-k",
        NOISY,
        ef_sgd_nonconvex,
        partial(noisy, 1),
        feedback(TopK(0.75)),
        2000,
        moment_in_ball,
        BALL,
    ),
    BoundCheck(
        "top-k",
        EQUAL_CURVATURES,
        mem_sgd,
        partial(equal_curvatures, 1, 0.1, 0.0, 4),
        feedback(TopK(0.75)),
        1000,
        moment_in_ball,
        BALL,
    ),
    BoundCheck("top-k", LOGREG, mem_sgd, logreg(1), feedback(TopK(0.2)), 500, second_moment),
)


# Error feedback leaves the leading term alone: delta acts on a term of order T^-2 only.
#
# MEM-SGD (Stich, Cordonnier, Jaggi 2018, arXiv:1809.07599) with top-k, k/d = 1/4, 1/10, 1/20, on
# a strongly convex quadratic from the minimiser, gamma_t = 2/(mu (a + t)); equal draws with and
# without compression, so that the excess is a paired difference.

_D, _REPLICAS, _STEPS, _SEED, _SHIFT = 20, 1024, 1024, 82, 10.0
_FIRST, _LAST = 24, 256  # where the excess is well above its noise
_KEPT = (5, 2, 1)
_NEAR = 0.02  # how far from the uncompressed error the last step may lie


@study(
    "top-k",
    "quadratic-sc",
    "delta^0 in the leading term",
    "steps T",
    "excess of E||x_T - x*||^2 over the uncompressed [x^2]",
    name="ef_leading",
)
def measure(memory: Memory[Tensor] | None = None) -> StudyResult:
    """Ratios to the uncompressed error at the last step, and the exponent of the worst excess."""
    memory = memory or ErrorFeedback()
    problem = Quadratic.strongly_convex(2, _D, L=1.0, mu=1.0, sigma2=1.0, R2=0.0)
    step = InverseTimeStep(2.0, _SHIFT)
    t, plain = _distances(BSP(step, Identity(), ErrorFeedback()), problem)
    verdicts, excess = [], plain
    for k in _KEPT:
        _, y = _distances(BSP(step, TopK(k), memory), problem)
        verdicts.append(_ratio(problem, k, y[:, -1], plain[:, -1]))
        excess = y - plain
    early = t <= _LAST
    t, excess, plain = t[early], excess[:, early], plain[:, early]
    fit = fit_power(t, excess, ALPHA)
    verdicts.append(
        rate_verdict(
            fit,
            -1.0 - 0.5,
            False,
            subject="top-k",
            problem=problem.name,
            claim="what compression adds (k/d = 1/20) falls faster than the leading 1/T",
            provenance=f"Stich et al. 2018, Theorem 2.4 (order T^-2; asserted: at most T^-1.5); "
            f"{_described()}",
        )
    )
    reference = plain.mean(axis=0)
    return StudyResult(tuple(verdicts), (fitted(t, excess, fit, reference),))


def _distances(method: Method[Any], problem: Quadratic) -> tuple[Floats, Floats]:
    trace = run(method, problem, steps=_STEPS, seed=_SEED, replicas=_REPLICAS, points=60)
    late = trace.steps >= _FIRST
    return trace.steps[late].astype(np.float64), trace.squared_distance[:, late]


def _ratio(problem: Quadratic, k: int, y: Floats, plain: Floats) -> Verdict:
    """E||x - x*||^2 against the uncompressed one at the last step, paired."""
    base = float(plain.mean())
    ratio = float(y.mean()) / base
    residual = y - ratio * plain
    half = (
        float(scipy.stats.t.isf(ALPHA / 2, y.size - 1) * residual.std(ddof=1)) / y.size**0.5 / base
    )
    return Verdict(
        subject="top-k",
        problem=problem.name,
        claim=f"leading term unaffected by delta = {k}/{_D}: within {_NEAR:.0%} at T = {_STEPS}",
        check="equal leading terms",
        outcome=Outcome.SUPPORTED if abs(ratio - 1) - half <= _NEAR else Outcome.REFUTED,
        statistic=ratio,
        bound=1.0,
        uncertainty=half,
        resolution=2 * half,
        evidence=f"E||x_T - x*||^2 with top-{k} is {ratio:.4f} +- {half:.2g} of the uncompressed",
        provenance=_described(),
    )


def _described() -> str:
    return (
        f"seed {_SEED}, {_REPLICAS} replicas, {_STEPS} steps, n=2, gamma_t = 2/({_SHIFT:g} + t), "
        f"equal draws, error {ALPHA:g}"
    )
