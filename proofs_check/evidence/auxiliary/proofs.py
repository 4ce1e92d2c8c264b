"""Derivations: ef sgd workers, absolute compressor ef, ef sgd nonconvex, error feedback, error
feedback bound, error feedback residual, global momentum, perturbed iterate, reaches."""

from __future__ import annotations

from typing import Any, cast

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled, truth
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
from proofs_check.proofs.expressions import computes, constants, descends, exact, near
from proofs_check.verdict import Verdict
from theory.theorems.absolute_compressor_ef import absolute_compressor_ef
from theory.theorems.ef_sgd_nonconvex import ef_sgd_nonconvex
from theory.theorems.ef_sgd_workers import ef_sgd_workers
from theory.theorems.global_momentum import global_momentum
from theory.theorems.perturbed_iterate import perturbed_iterate

# SGD with error feedback on n workers: the descent step with the noise averaged.


EF_SGD_WORKERS_L, G2, sigma2, n, gamma, delta = sp.symbols(
    "L G2 sigma2 n gamma delta", positive=True
)
EF_SGD_WORKERS_FLOOR = (
    2 * gamma * EF_SGD_WORKERS_L * sigma2 / n
    + 8 * gamma**2 * EF_SGD_WORKERS_L**2 * G2 * (1 - delta) / delta**2
)


def virtual_descent(e2: Any, claimed: Any) -> tuple[DerivationStep, DerivationStep]:
    r"""avg E||grad f(x_t)||^2 <= 4 Delta/(gamma T) + ``claimed`` if E||x~_t - x_t||^2 <= ``e2``.

    x~ takes plain steps. Half of the descent at x~ pays for the gradients' variance, gamma <=
    1/(2L); what is left is gamma/4 ||grad f(x)||^2.
    """
    a2, gap, T = sp.symbols("a2 Delta T", positive=True)
    v = sp.symbols("v", nonnegative=True)
    rise = gamma * EF_SGD_WORKERS_L**2 / 2 * e2 + gamma**2 * EF_SGD_WORKERS_L / 2 * sigma2 / n
    descent = -gamma / 2 * a2 + gamma**2 * EF_SGD_WORKERS_L / 2 * a2
    slack = sp.simplify(
        (-gamma / 4 * a2 - descent).subs(gamma, 1 / (2 * EF_SGD_WORKERS_L * (1 + v)))
    )
    total = sp.solve(sp.Eq(-gap, T * (-gamma / 4 * a2 + rise)), a2)[0]
    return (
        nonnegative("one step descends for gamma <= 1/(2L)", slack, v, a2, EF_SGD_WORKERS_L),
        equality("the sum of T steps", total, 4 * gap / (gamma * T) + claimed),
    )


def prove_ef_sgd_workers(claimed: Any = EF_SGD_WORKERS_FLOOR) -> Verdict:
    r"""avg E||grad f(x_t)||^2 <= 4 Delta/(gamma T) + ``claimed`` for gamma <= 1/(2L)."""
    return settled(
        "ef_sgd_workers",
        f"average squared gradient <= 4 Delta/(gamma T) + {claimed}",
        "derived; setting of Karimireddy et al. 2019, arXiv:1901.09847",
        *virtual_descent(4 * gamma**2 * G2 * (1 - delta) / delta**2, claimed),
        descends(ef_sgd_workers, 4, claimed),
    )


# Error feedback with a bounded absolute error: fixed thresholds.


ABSOLUTE_COMPRESSOR_EF_L, D2 = sp.symbols("L D2", positive=True)
ABSOLUTE_COMPRESSOR_EF_FLOOR = (
    2 * gamma * ABSOLUTE_COMPRESSOR_EF_L * sigma2 / n + 2 * ABSOLUTE_COMPRESSOR_EF_L**2 * D2
)


def prove_absolute_compressor_ef(
    claimed: Any = ABSOLUTE_COMPRESSOR_EF_FLOOR, error: Any = 1
) -> Verdict:
    r"""avg E||grad f(x_t)||^2 <= 4 Delta/(gamma T) + ``claimed`` for gamma <= 1/(2L).

    A threshold t leaves at most ``error`` t^2 in a coordinate: |p| <= t is left, else nothing.
    """
    v, t = sp.symbols("v t", nonnegative=True)
    p = t / (1 + v)  # any coordinate that is not sent
    return settled(
        "absolute_compressor_ef",
        f"average squared gradient <= 4 Delta/(gamma T) + {claimed}; D^2 = {error} d t^2",
        "derived; virtual iterate of Karimireddy et al. 2019, arXiv:1901.09847",
        nonnegative("what is not sent is small", sp.simplify(error * t**2 - p**2), v, t),
        truth("all just below the threshold attain it", sp.limit(p**2, v, 0) == error * t**2),
        *virtual_descent(D2, claimed),
        descends(absolute_compressor_ef, 4, claimed),
    )


# SGD with error feedback on smooth functions: the descent step at the virtual iterate.


EF_SGD_NONCONVEX_L = sp.symbols("L", positive=True)
EF_SGD_NONCONVEX_FLOOR = (
    gamma * EF_SGD_NONCONVEX_L * G2
    + 4 * gamma**2 * EF_SGD_NONCONVEX_L**2 * G2 * (1 - delta) / delta**2
)


def prove_ef_sgd_nonconvex(claimed: Any = EF_SGD_NONCONVEX_FLOOR) -> Verdict:
    r"""avg E||grad f(x_t)||^2 <= 2 Delta/(gamma T) + ``claimed``.

    a = grad f(x), b = grad f(x~): -<b, a> = -||a||^2/2 - ||b||^2/2 + ||a - b||^2/2 and
    ||a - b||^2 <= L^2 ||e||^2 give f(x~+) - f(x~) <= -gamma/2 ||a||^2 + gamma L^2/2 ||e||^2
    + gamma^2 L/2 G2; the sum over T steps, times 2/(gamma T), is the claim.
    """
    a, b = sp.symbols("a b", real=True)
    a2, gap, T = sp.symbols("a2 Delta T", positive=True)
    e2 = 4 * gamma**2 * G2 * (1 - delta) / delta**2
    rise = gamma * EF_SGD_NONCONVEX_L**2 / 2 * e2 + gamma**2 * EF_SGD_NONCONVEX_L / 2 * G2
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


# Global momentum compression: the iterate behind the model's own last move.


global_momentum_m = symbol("momentum")
r = sp.sqrt(1 - delta)
LONGEST = 1 / (1 - r - global_momentum_m * (1 + r))


def prove_global_momentum(longest: Any = LONGEST) -> Verdict:
    """Steps of gamma = 1: p = g + m s + e, s the mean sent before, is compressed to C.

    z = (x - e - m x_before)/(1 - m) moves by g/(1 - m); p <- 1 + m (1 + r) p + r p ends at
    ``longest``, and x - z = (e + m s)/(1 - m).
    """
    x, e, g, s, sent = sp.symbols("x e g s C", real=True)
    before = x + s
    z = (x - e - global_momentum_m * before) / (1 - global_momentum_m)
    after = ((x - sent) - (g + global_momentum_m * s + e - sent) - global_momentum_m * x) / (
        1 - global_momentum_m
    )
    held, moved = r * longest, (1 + r) * longest
    return settled(
        "global_momentum",
        f"what is compressed stays below {longest}, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Zhao et al. 2019, arXiv:1905.12948",
        equality(
            "the iterate takes plain steps", sp.simplify(after - z), -g / (1 - global_momentum_m)
        ),
        equality(
            "the model beside it",
            sp.simplify(x - z - (e + global_momentum_m * s) / (1 - global_momentum_m)),
            0,
        ),
        equality("messages end at", sp.simplify(1 + global_momentum_m * moved + held - longest), 0),
        near(
            global_momentum,
            (held + global_momentum_m * moved) / (1 - global_momentum_m),
            gain=1 / (1 - global_momentum_m),
        ),
    )


# Perturbed iterates: one step of the virtual iterate, the sum of T, and the model beside it.


PERTURBED_ITERATE_L, S, a, b, gap = (
    symbol(name) for name in ("L_max", "reach", "gain", "excess", "initial_gap")
)
NEAR = GAMMA**2 * S**2 * G2


def prove_perturbed_iterate(near: Any = NEAR) -> Verdict:
    """Gradients and model within ``near`` of z in squared distance: the bound, if that is S^2.

    With m the mean gradient, -<grad f(z), m> = (||grad f(z) - m||^2 - ||grad f(z)||^2 - ||m||^2)/2.
    """
    z2, m2, v, y = sp.symbols("z2 m2 v y", nonnegative=True)
    noise = (sigma2 + b * G2) / n
    inner = z2 / 2 + m2 / 2 - PERTURBED_ITERATE_L**2 * NEAR / 2
    change = -y * inner + PERTURBED_ITERATE_L * y**2 / 2 * (m2 + noise)
    kept = (
        -y / 2 * z2 + y / 2 * PERTURBED_ITERATE_L**2 * NEAR + PERTURBED_ITERATE_L * y**2 / 2 * noise
    )
    slack = sp.simplify((kept - change).subs(y, 1 / (PERTURBED_ITERATE_L * (1 + v))))
    mean = sp.solve(sp.Eq(-gap, TIME * kept), z2)[0].subs(y, a * GAMMA)
    lead = 4 * gap / (a * GAMMA * TIME) + 2 * a * GAMMA * PERTURBED_ITERATE_L * noise
    p, q = sp.symbols("p q", real=True)
    return settled(
        "perturbed_iterate",
        f"average squared gradient <= {lead} + 4 L^2 {near}",
        "derived; setting of Mania et al. 2017, arXiv:1507.06970",
        nonnegative("one step descends for gamma a <= 1/L", slack, v, m2, PERTURBED_ITERATE_L),
        equality("(p + q)^2 <= 2 p^2 + 2 q^2", 2 * p**2 + 2 * q**2 - (p + q) ** 2, (p - q) ** 2),
        equality(
            "the model beside z",
            2 * mean + 2 * PERTURBED_ITERATE_L**2 * NEAR,
            lead + 4 * PERTURBED_ITERATE_L**2 * near,
        ),
        computes(perturbed_iterate, lead + 4 * PERTURBED_ITERATE_L**2 * near),
    )


# Virtual iterates take plain steps, and what separates methods from them ends at a fixed point.


reaches_g, u, reaches_sent, reaches_m = sp.symbols("g u C m", real=True)
up, down = sp.symbols("r_1 r_2", positive=True)

omega, alpha, beta = sp.symbols("omega alpha beta", positive=True)
BEHIND = reaches_m**2 / (1 - reaches_m)
"""Velocities by which the virtual iterate of Nesterov's momentum is behind."""


def velocities(behind: Any) -> tuple[DerivationStep, ...]:
    """Steps of gamma = 1: p = s + e is compressed to C, x and e move by it."""
    later = reaches_m * u + reaches_g
    c = reaches_m / (1 - reaches_m)
    heavy = (x - reaches_sent - (e + later - reaches_sent) - c * later) - (x - e - c * u)
    step = reaches_m * later + reaches_g
    nesterov = (x - reaches_sent - (e + step - reaches_sent) - behind * later) - (
        x - e - behind * u
    )
    return (
        equality(
            "error feedback around velocities", sp.simplify(heavy), -reaches_g / (1 - reaches_m)
        ),
        equality(
            "error feedback around Nesterov's", sp.simplify(nesterov), -reaches_g / (1 - reaches_m)
        ),
    )


def blocks() -> tuple[DerivationStep, ...]:
    """a is where a block began, D its last move, l the local moves so far, H of them at its end."""
    a, D, eta, local = sp.symbols("a D eta l", real=True)
    z = a + (eta * D + local) / (1 - eta)
    move = eta * D + local
    after = (a + move) + eta * move / (1 - eta)
    apart = eta / (1 - eta) * (D + local)
    anchor, mean = sp.symbols("anchor mean", real=True)
    met = (anchor - reaches_sent) - (anchor - mean + e - reaches_sent)
    return (
        equality("a block ends where the next begins", sp.simplify(after - z), 0),
        equality("it is ahead by the last move", sp.simplify(z - (a + local) - apart), 0),
        equality("a meeting moves no virtual iterate", sp.simplify(met - (mean - e)), 0),
    )


def decaying() -> tuple[DerivationStep, ...]:
    """Feedback that decays: h+ = beta h + g - C with C = g + alpha h + noise."""
    h, noise = sp.symbols("h noise", real=True)
    c = alpha / (alpha + 1 - beta)
    heard = reaches_g + alpha * h + noise
    later = beta * h + reaches_g - heard
    moved = (x - heard - c * later) - (x - c * h)
    return (
        equality("the memory forgets the gradient", sp.expand(later), (beta - alpha) * h - noise),
        equality("decaying feedback", sp.simplify(moved + reaches_g + (1 - c) * noise), 0),
    )


def fixed_points() -> tuple[DerivationStep, ...]:
    """Where distances end: residuals of either way and of both, spreads of differences."""
    lam, b = sp.symbols("lambda b", positive=True)
    one, other = up / (1 - up), down / (1 - down)
    together = (up + down) / ((1 - up) * (1 - down))
    kept = sp.sqrt(lam**2 + omega * b**2)
    spread = sp.sqrt(1 + omega) / (1 - kept)
    return (
        equality("what a contraction leaves", sp.simplify(up * (1 + one)), one),
        equality("both ways", sp.simplify(one + (1 + up) / (1 - up) * other - together), 0),
        equality("differences", sp.simplify(kept * spread + sp.sqrt(1 + omega) - spread), 0),
    )


def pairs() -> tuple[DerivationStep, ...]:
    """Four workers, worker 0 calls: the squared spread after an average, over all partners."""
    values = sp.symbols("x_0:4", real=True)
    mean = sum(values) / 4
    spread = sum((v - mean) ** 2 for v in values)
    after = []
    for partner in (1, 2, 3):
        met = list(values)
        met[0] = met[partner] = (values[0] + values[partner]) / 2
        after.append(sum((v - mean) ** 2 for v in met))
    left = sum(after) / 3
    lost = (spread + 4 * (values[0] - mean) ** 2) / 6
    return (equality("an average with a uniform partner", sp.expand(spread - left - lost), 0),)


def prove_reaches(behind: Any = BEHIND) -> Verdict:
    """The identities behind :mod:`theory.rules.virtual_iterate_deviation`, Nesterov's iterate
    ``behind`` by so many velocities."""
    return settled(
        "perturbed_iterate",
        "virtual iterates of feedback, momentum, blocks and differences take plain steps",
        "derived; Karimireddy et al. 2019, Zheng et al. 2019, Chen, Huo 2016, Wu et al. 2018",
        *velocities(behind),
        *blocks(),
        *decaying(),
        *fixed_points(),
        *pairs(),
    )


PROOFS = (
    prove_ef_sgd_workers,
    prove_absolute_compressor_ef,
    prove_ef_sgd_nonconvex,
    prove_error_feedback,
    prove_error_feedback_bound,
    prove_error_feedback_residual,
    prove_global_momentum,
    prove_perturbed_iterate,
    prove_reaches,
)

COVERS = {
    "prove_error_feedback_bound": ("error-feedback",),
    "prove_error_feedback_residual": ("error-feedback",),
    "prove_reaches": (
        "ad-psgd",
        "bmuf",
        "dcd-psgd",
        "dist-ef-sgd",
        "ecq-sgd",
        "momentum-correction",
        "qsparse-local-sgd",
        "sbc",
    ),
}
