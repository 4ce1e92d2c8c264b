"""Derivations of error feedback, its residuals, and by variances; runs under its bounds."""

from __future__ import annotations

from functools import partial
from typing import Any, cast

import sympy as sp

from algorithms.compressors.hard_threshold import HardThreshold
from algorithms.compressors.rand_k import RandK
from algorithms.compressors.top_k import TopK
from algorithms.memories.global_momentum import GlobalMomentum
from algorithms.memories.momentum_correction import MomentumCorrection
from algorithms.methods.synchronous.bsp import BSP
from proofs_check.bounds.check import BoundCheck
from proofs_check.bounds.settings import (
    MILD,
    NONCONVEX,
    by_moments,
    delta_of,
    entry,
    fed_back,
    feedback,
    mild,
    near,
    of_row,
)
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled, truth
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
from proofs_check.proofs.expressions import computes, constants, descends, exact
from proofs_check.proofs.norms import about_the_mean
from proofs_check.verdict import Verdict
from theory.rules.virtual_iterate_deviation import fed_back_momentum, left
from theory.theorems.absolute_compressor_ef import absolute_compressor_ef
from theory.theorems.ef_sgd_nonconvex import ef_sgd_nonconvex
from theory.theorems.ef_sgd_variance import ef_sgd_variance
from theory.theorems.ef_sgd_workers import ef_sgd_workers
from theory.theorems.global_momentum import global_momentum

L, G2, sigma2, n, gamma, delta, D2 = sp.symbols("L G2 sigma2 n gamma delta D2", positive=True)
zeta2, gap = sp.symbols("zeta2 initial_gap", positive=True)
# SGD with error feedback on n workers: the descent step with the noise averaged.


EF_SGD_WORKERS_FLOOR = gamma * L * sigma2 / n + 8 * gamma**2 * L**2 * G2 * (1 - delta) / delta**2


def virtual_descent(e2: Any, claimed: Any) -> tuple[DerivationStep, ...]:
    r"""avg E||grad f(x_t)||^2 <= 2 Delta/(gamma T) + ``claimed`` if E||x~_t - x_t||^2 <= ``e2``.

    x~ takes plain steps. With a = grad f(x), u = grad f(x) - grad f(x~): -<a - u, a> <= -3/4
    ||a||^2 + ||u||^2, of which gamma L/2 ||a||^2 <= 1/4 ||a||^2 pays for the step, gamma <= 1/(2L).
    """
    a, u = sp.symbols("a u", real=True)
    a2, gap, T = sp.symbols("a2 Delta T", positive=True)
    v = sp.symbols("v", nonnegative=True)
    rise = gamma * L**2 * e2 + gamma**2 * L / 2 * sigma2 / n
    descent = -3 * gamma / 4 * a2 + gamma**2 * L / 2 * a2
    slack = sp.simplify((-gamma / 2 * a2 - descent).subs(gamma, 1 / (2 * L * (1 + v))))
    total = sp.solve(sp.Eq(-gap, T * (-gamma / 2 * a2 + rise)), a2)[0]
    return (
        equality("the residual, by a square", a * (a - u) - 3 * a**2 / 4 + u**2, (a / 2 - u) ** 2),
        nonnegative("one step descends for gamma <= 1/(2L)", slack, v, a2, L),
        equality("the sum of T steps", total, 2 * gap / (gamma * T) + claimed),
    )


def prove_ef_sgd_workers(claimed: Any = EF_SGD_WORKERS_FLOOR) -> Verdict:
    r"""avg E||grad f(x_t)||^2 <= 2 Delta/(gamma T) + ``claimed`` for gamma <= 1/(2L)."""
    return settled(
        "ef_sgd_workers",
        f"average squared gradient <= 2 Delta/(gamma T) + {claimed}",
        "derived; setting of Karimireddy et al. 2019, arXiv:1901.09847",
        *virtual_descent(4 * gamma**2 * G2 * (1 - delta) / delta**2, claimed),
        descends(ef_sgd_workers, 2, claimed),
    )


# Error feedback with a bounded absolute error: fixed thresholds.


ABSOLUTE_COMPRESSOR_EF_FLOOR = gamma * L * sigma2 / n + 2 * L**2 * D2


def prove_absolute_compressor_ef(
    claimed: Any = ABSOLUTE_COMPRESSOR_EF_FLOOR, error: Any = 1
) -> Verdict:
    r"""avg E||grad f(x_t)||^2 <= 2 Delta/(gamma T) + ``claimed`` for gamma <= 1/(2L).

    A threshold t leaves at most ``error`` t^2 in a coordinate: |p| <= t is left, else nothing.
    """
    v, t = sp.symbols("v t", nonnegative=True)
    p = t / (1 + v)  # any coordinate that is not sent
    return settled(
        "absolute_compressor_ef",
        f"average squared gradient <= 2 Delta/(gamma T) + {claimed}; D^2 = {error} d t^2",
        "derived; virtual iterate of Karimireddy et al. 2019, arXiv:1901.09847",
        nonnegative("what is not sent is small", sp.simplify(error * t**2 - p**2), v, t),
        truth("all just below the threshold attain it", sp.limit(p**2, v, 0) == error * t**2),
        *virtual_descent(D2, claimed),
        descends(absolute_compressor_ef, 2, claimed),
    )


# SGD with error feedback on smooth functions: the descent step at the virtual iterate.


EF_SGD_NONCONVEX_FLOOR = gamma * L * G2 + 4 * gamma**2 * L**2 * G2 * (1 - delta) / delta**2


def prove_ef_sgd_nonconvex(claimed: Any = EF_SGD_NONCONVEX_FLOOR) -> Verdict:
    r"""avg E||grad f(x_t)||^2 <= 2 Delta/(gamma T) + ``claimed``.

    a = grad f(x), b = grad f(x~): -<b, a> = -||a||^2/2 - ||b||^2/2 + ||a - b||^2/2 and
    ||a - b||^2 <= L^2 ||e||^2 give f(x~+) - f(x~) <= -gamma/2 ||a||^2 + gamma L^2/2 ||e||^2
    + gamma^2 L/2 G2; the sum over T steps, times 2/(gamma T), is the claim.
    """
    a, b = sp.symbols("a b", real=True)
    a2, gap, T = sp.symbols("a2 Delta T", positive=True)
    e2 = 4 * gamma**2 * G2 * (1 - delta) / delta**2
    rise = gamma * L**2 / 2 * e2 + gamma**2 * L / 2 * G2
    total = sp.solve(sp.Eq(-gap, T * (-gamma / 2 * a2 + rise)), a2)[0]
    return settled(
        "ef_sgd_nonconvex",
        f"average squared gradient <= 2 Delta/(gamma T) + {claimed}",
        "Karimireddy et al. 2019, arXiv:1901.09847, Theorem II",
        equality("polarisation", -a * b, -(a**2) / 2 - b**2 / 2 + (a - b) ** 2 / 2),
        equality("the sum of T steps", total, 2 * gap / (gamma * T) + claimed),
        evaluates(ef_sgd_nonconvex, 2 * gap / (gamma * T) + claimed),
    )


# Error feedback: the virtual iterate x - e moves by the plain step, whatever is sent.


x, e, step, error_feedback_sent = sp.symbols(
    "x e p Delta", real=True
)  # step: gamma g, sent: C(gamma g + e)
RESIDUAL = step + e - error_feedback_sent


def conservation(residual: Any, rounds: int) -> DerivationStep:
    """After ``rounds`` rounds from e = 0: sum of what was sent + residual = sum of the steps."""
    left: Any = sp.Integer(0)
    steps = sp.symbols(f"p:{rounds}", real=True)
    messages = sp.symbols(f"Delta:{rounds}", real=True)
    for p, message in zip(steps, messages, strict=True):
        left = residual.subs({e: left, step: p, error_feedback_sent: message}, simultaneous=True)
    return equality(f"nothing is lost in {rounds} rounds", sum(messages) + left, sum(steps))


def prove_error_feedback(claimed: Any = RESIDUAL) -> Verdict:
    """With the next residual ``claimed``: (x - Delta) - e_next = (x - e) - gamma g."""
    after = (x - error_feedback_sent) - claimed
    return settled(
        "error feedback",
        f"the virtual iterate takes the plain step with e_next = {claimed}",
        "Karimireddy et al. 2019, arXiv:1901.09847, Appendix; Stich, Cordonnier, Jaggi 2018",
        equality("the virtual iterate takes the plain step", after, x - e - step),
        conservation(claimed, 3),
    )


# Error feedback's residual for steps of any length: Karimireddy's Lemma 3, by induction.

LEMMA = 4 * (1 - delta) / delta**2 * gamma**2 * G2


def young() -> DerivationStep:
    """||a + b||^2 <= (1 + eta) ||a||^2 + (1 + 1/eta) ||b||^2: the difference is a square."""
    a, b, eta = sp.symbols("a b eta", positive=True)
    room = (1 + eta) * a**2 + (1 + 1 / eta) * b**2 - (a + b) ** 2
    return equality("Young's inequality", room, (eta * a - b) ** 2 / eta)


def prove_error_feedback_bound(claimed: Any = LEMMA) -> Verdict:
    r"""E||e_t||^2 <= ``claimed`` at every step.

    E||e+||^2 <= (1 - delta) E||e + gamma g||^2 <= (1 - delta)((1 + eta) E||e||^2 + (1 + 1/eta)
    gamma^2 G2), eta = delta/(2 (1 - delta)): a step from the claim stays below it.
    """
    u = sp.symbols("u", positive=True)  # delta = 1/(1 + u), u = 0 is no compression
    eta = delta / (2 * (1 - delta))
    after = (1 - delta) * ((1 + eta) * claimed + (1 + 1 / eta) * gamma**2 * G2)
    room = sp.cancel((claimed - after).subs(delta, 1 / (1 + u)))
    code = exact(ef_sgd_workers.residual(constants(), cast(float, GAMMA)))
    return settled(
        "error feedback bound",
        f"E||e||^2 <= {claimed}",
        "Karimireddy et al. 2019, arXiv:1901.09847, Lemma 3",
        young(),
        equality("the residual keeps 1 - delta/2", (1 - delta) * (1 + eta), 1 - delta / 2),
        nonnegative("a step from the claim stays below it", room, u, gamma, G2),
        equality("the code's term is 2 L^2 times this", code, 2 * symbol("L") ** 2 * claimed),
    )


# The worst residual of error feedback over all contractions, for steps of constant length.


q, error_feedback_residual_g = sp.symbols(
    "q g", positive=True
)  # q = sqrt(1 - delta) < 1, g = gamma G
SUP = q**2 / (1 - q) ** 2 * error_feedback_residual_g**2


def prove_error_feedback_residual(claimed: Any = SUP) -> Verdict:
    r"""sup ||e_t||^2 = ``claimed``, which is at most 4 (1 - delta)/delta^2 gamma^2 G^2.

    ||e_{t+1}|| <= q (||e_t|| + g), with equality for C(p) = (1 - q) p and steps in one direction;
    the recursion from 0 grows to its fixed point and never beyond.
    """
    t = sp.symbols("t", integer=True, nonnegative=True)
    r = sp.Function("r")
    length = sp.rsolve(r(t + 1) - q * (r(t) + error_feedback_residual_g), r(t), {r(0): 0})
    limit = q * error_feedback_residual_g / (1 - q)
    p, v = sp.symbols("p v", nonnegative=True)
    lemma = (4 * q**2 / (1 - q**2) ** 2 * error_feedback_residual_g**2 - SUP).subs(q, 1 / (1 + v))
    return settled(
        "error feedback residual",
        f"sup ||e||^2 = {claimed}, q = sqrt(1 - delta), g = gamma G",
        "Karimireddy et al. 2019, arXiv:1901.09847, Lemma 3; exact supremum derived",
        equality(
            "(1 - q) p leaves a residual of length q |p|", (p - (1 - q) * p) ** 2, (q * p) ** 2
        ),
        equality("the recursion in closed form", length, limit * (1 - q**t)),
        equality("its limit, squared", limit**2, claimed),
        nonnegative("the limit lies below Lemma 3", sp.cancel(lemma), v, error_feedback_residual_g),
    )


# Derivations: error feedback by variances.

KEPT = 1 - delta / 2


def prove_ef_sgd_variance(kept: Any = KEPT) -> Verdict:
    """A step leaves ``kept`` of the residuals' mean square and adds what gradients bring.

    E||p - C(p)||^2 <= (1 - delta) E||p||^2, p = e + gamma grad f_i(x) + noise, whose mean square is
    orthogonal to the rest; (a + b)^2 <= (1 + s) a^2 + (1 + 1/s) b^2 with s = delta/(2 (1 - delta)).
    G is the mean over steps of ||grad f(x)||^2. delta = 1/(1 + u), gamma = delta/(4 L sqrt(1 -
    delta) (1 + v)).
    """
    a, b = sp.symbols("a b", real=True)
    u, v, G, g2 = sp.symbols("u v G g2", nonnegative=True)
    s = delta / (2 * (1 - delta))
    young = (1 + s) * a**2 + (1 + 1 / s) * b**2 - (a + b) ** 2
    brought = (1 - delta) * (1 + 1 / s)
    room = (2 * (1 - delta) / delta - brought).subs(delta, 1 / (1 + u))
    added = GAMMA**2 * (1 - delta) * (2 / delta * (G + zeta2) + sigma2)
    residuals = added / (1 - kept)
    rest = -GAMMA / 2 * g2 + GAMMA * L**2 * residuals.subs(G, g2) + GAMMA**2 * L / 2 * sigma2 / n
    total = sp.solve(sp.Eq(-gap, TIME * rest), g2)[0]
    D = 1 - 8 * (GAMMA * L) ** 2 * (1 - delta) / delta**2
    drift = 4 * (GAMMA * L) ** 2 * (1 - delta) * (2 * zeta2 / delta**2 + sigma2 / delta)
    bound = (2 * gap / (GAMMA * TIME) + GAMMA * L * sigma2 / n + drift) / D
    least = D.subs(GAMMA, delta / (4 * L * sp.sqrt(1 - delta) * (1 + v)))
    half = sp.simplify(least - sp.Rational(1, 2))
    g, w = sp.symbols("g w", real=True)
    return settled(
        "ef_sgd_variance",
        f"a step leaves {kept} of the residuals, so O(1/sqrt(nT)) without a bound on gradients",
        "derived; setting of Stich, Karimireddy 2019, arXiv:1909.05350",
        about_the_mean(),
        equality("Young", sp.simplify(young * s), sp.expand((s * a - b) ** 2)),
        equality("what is left", sp.simplify((1 - delta) * (1 + s)), kept),
        nonnegative("what gradients bring", sp.cancel(room), u),
        equality("the residual, by a square", g * (g - w) - 3 * g**2 / 4 + w**2, (g / 2 - w) ** 2),
        nonnegative(
            "a quarter pays for the step, gamma <= 1/(2 L)",
            sp.simplify((GAMMA / 4 - GAMMA**2 * L / 2).subs(GAMMA, 1 / (2 * L * (1 + v)))), v, L,
        ),
        nonnegative("D is at least a half", sp.cancel(half), v),
        equality("the sum of T steps", sp.simplify(total - bound), 0),
        computes(ef_sgd_variance, bound),
    )  # fmt: skip


_HALF, _M, _LITTLE, _NEAR = TopK(0.5), 0.5, 0.2, 1e-3


COVERS = {
    "prove_error_feedback_bound": ("error-feedback",),
    "prove_error_feedback_residual": ("error-feedback",),
}


PROOFS = (
    prove_ef_sgd_workers,
    prove_absolute_compressor_ef,
    prove_ef_sgd_nonconvex,
    prove_error_feedback,
    prove_error_feedback_bound,
    prove_error_feedback_residual,
    prove_ef_sgd_variance,
)


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck(
        "error-feedback", NONCONVEX, ef_sgd_workers, entry(NONCONVEX),
        feedback(RandK(0.25, scaled=False)), 500,
    ),
    fed_back("error-feedback", ef_sgd_workers),
    BoundCheck(
        "error-feedback", MILD, ef_sgd_variance, partial(mild, 4, 0.25), of_row("error-feedback"),
        600, rated=True,
    ),
    BoundCheck(
        "error-feedback", NONCONVEX, absolute_compressor_ef, entry(NONCONVEX),
        feedback(HardThreshold(_NEAR)), 500,
    ),
    near(
        "momentum-correction", lambda: fed_back_momentum(_M, left(delta_of(_HALF, 4))),
        lambda step, _p, _t: BSP(step, _HALF, MomentumCorrection(_M)), 600, d=4,
    ),
    by_moments(
        "gmc", global_momentum,
        lambda step, _p, _t: BSP(step, TopK(0.75), GlobalMomentum(_LITTLE)), 800,
        lambda: {"momentum": _LITTLE, "delta": delta_of(TopK(0.75), 4)}, d=4,
    ),
)  # fmt: skip
