"""Derivations: one-shot averaging, PQASGD, PR-SGD with and without momentum, Qsparse-local-SGD."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.evidence.asynchronous.proofs import missed
from proofs_check.evidence.auxiliary.proofs_iterates import blocks
from proofs_check.evidence.local_updates.proofs import deviations
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
from proofs_check.proofs.expressions import computes, descends, near
from proofs_check.proofs.norms import about_the_mean
from proofs_check.proofs.norms import residual as residuals
from proofs_check.verdict import Verdict
from theory.theorems.one_shot_averaging import one_shot_averaging
from theory.theorems.one_shot_strongly_convex import one_shot_strongly_convex
from theory.theorems.pqasgd import pqasgd
from theory.theorems.pr_sgd import pr_sgd
from theory.theorems.pr_sgd_momentum import pr_sgd_momentum
from theory.theorems.qsparse_local import qsparse_local

mu, sigma2, R2, M, n, H = sp.symbols("mu sigma2 R2 hessian_lipschitz n H", positive=True)
omega, G2, gamma, PR_SGD_L, PR_SGD_MOMENTUM_L = sp.symbols("omega G2 gamma L L_max", positive=True)
H_velocity, m, gap, delta = sp.symbols("H_velocity momentum initial_gap delta", positive=True)
# One-shot averaging: bias of one worker, variance of n, where second derivatives are smooth.


q, level, t = sp.symbols("q level t", positive=True)  # q = 1 - gamma mu
BEND = M / 2


def mean_of_two() -> DerivationStep:
    """Two independent workers with the same law, values 0 and 1 with probability p: E (mean - s)^2
    is the bias squared and half the variance."""
    p, s = sp.symbols("p s", real=True)
    law = {(i, j): (p if i else 1 - p) * (p if j else 1 - p) for i in (0, 1) for j in (0, 1)}
    square = sum(w * (sp.Rational(i + j, 2) - s) ** 2 for (i, j), w in law.items())
    return equality("bias and 1/n of the variance", sp.expand(square - (p - s) ** 2),
                    sp.expand(p * (1 - p) / 2))  # fmt: skip


def prove_one_shot_averaging(bend: Any = BEND) -> Verdict:
    r"""b_{t+1} <= q b_t + gamma ``bend`` d_t for the bias b_t = ||E x_t - x*||, d_t = E||x_t -
    x*||^2, gamma <= 1/L: I - gamma grad^2 f(x*) has norm at most q.

    ||grad f(x) - grad^2 f(x*) (x - x*)|| is at most the integral of M s ||x - x*||^2 over s in
    (0, 1). d_t <= q^t R2 + level, level = gamma sigma2/mu.
    """
    s, d, L, inner, v = sp.symbols("s d L I v", nonnegative=True)
    one = (-GAMMA * inner - (-2 * GAMMA + GAMMA**2 * L) * inner).subs(GAMMA, 1 / (L * (1 + v)))
    moments = q**t * R2 + (1 - q**t) * level

    def bias(at: Any) -> Any:
        return q**at * sp.sqrt(R2) + GAMMA * BEND * (
            at * q ** (at - 1) * R2 + (1 - q**at) * level / (1 - q)
        )

    step = bias(t + 1) - q * bias(t) - GAMMA * bend * (q**t * R2 + level)
    bound = ((moments / n) + bias(t) ** 2).subs(t, TIME)
    stated = bound.subs(level, GAMMA * sigma2 / mu).subs(q, 1 - GAMMA * mu)
    return settled(
        "one_shot_averaging",
        f"the bias grows by gamma {bend} d a step, so O(1/(nT) + 1/T^2) with constants",
        "derived; setting of Zhang, Duchi, Wainwright 2013, arXiv:1209.4129",
        mean_of_two(),
        equality("second derivatives", sp.integrate(M * s * d**2, (s, 0, 1)), M / 2 * d**2),
        nonnegative("one step contracts for gamma <= 1/L", one, v, inner, L),
        equality("d_t", sp.expand(q * moments + (1 - q) * level),
                 sp.expand(moments.subs(t, t + 1))),
        equality("the bias at the start", bias(0), sp.sqrt(R2)),
        equality("the bias, a step", sp.simplify(sp.expand(step)), 0),
        evaluates(one_shot_averaging, stated),
    )  # fmt: skip


# One-shot averaging: squares are convex, and each worker runs SGD alone.

ONE_SHOT_STRONGLY_CONVEX_FLOOR = GAMMA * sigma2 / mu


def prove_one_shot_strongly_convex(claimed: Any = ONE_SHOT_STRONGLY_CONVEX_FLOOR) -> Verdict:
    r"""E||xbar_T - x*||^2 <= (1 - gamma mu)^T R^2 + (1 - (1 - gamma mu)^T) ``claimed``.

    The mean's squared distance from x* is the workers' mean squared distance less their spread; one
    worker alone obeys d+ <= (1 - gamma mu) d + gamma^2 sigma2 for gamma <= 1/L.
    """
    L, inner, v = sp.symbols("L I v", nonnegative=True)
    t = sp.symbols("t", integer=True, nonnegative=True)
    d = sp.Function("d")
    change = (-2 * GAMMA + GAMMA**2 * L) * inner
    slack = (-GAMMA * inner - change).subs(GAMMA, 1 / (L * (1 + v)))
    step = d(t + 1) - (1 - GAMMA * mu) * d(t) - GAMMA**2 * sigma2
    solution = sp.rsolve(step, d(t), {d(0): R2}).subs(t, TIME)
    left = (1 - GAMMA * mu) ** TIME
    bound = left * R2 + (1 - left) * claimed
    return settled(
        "one_shot_strongly_convex",
        f"E||xbar_T - x*||^2 has the floor {claimed}",
        "derived; Zinkevich et al. 2010, NIPS; Bottou, Curtis, Nocedal 2018, Theorem 4.6",
        deviations(3),
        nonnegative("one step contracts for gamma <= 1/L", slack, v, inner, L),
        equality("the sum of the series", solution, bound),
        evaluates(one_shot_strongly_convex, bound),
    )


# Local steps, then their sum through an unbiased operator: a jump of the mean model in H steps.


EXCESS = omega * H


def prove_pqasgd(excess: Any = EXCESS) -> Verdict:
    """A jump, one in H steps, has a variance of omega H^2 gamma^2 G^2/n at most.

    H steps of length 1 sum to H at most (H = 3), n independent errors of mean 0 to 1/n of their
    mean square (n = 2).

    In the mean over steps that is ``excess`` gamma^2 G^2/n; z is the mean model.
    """
    k = sp.Symbol("k", integer=True, positive=True)
    jumps = sp.summation(omega * H**2 * G2 / n, (k, 1, symbol("rounds"))) / (H * symbol("rounds"))
    return settled(
        "pqasgd",
        f"excess {excess}, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Jiang, Agrawal 2018",
        missed(3),
        about_the_mean(),
        mean_of_two(),
        equality("the mean of all jumps", jumps, excess * G2 / n),
        near(pqasgd, H - 1, excess=excess),
    )


# PR-SGD: the drift of the workers within a period and the sum of T steps.


PR_SGD_FLOOR = 4 * gamma**2 * H**2 * G2 * PR_SGD_L**2 + gamma * PR_SGD_L * sigma2 / n


def prove_pr_sgd(claimed: Any = PR_SGD_FLOOR) -> Verdict:
    r"""avg E||grad f(xbar_t)||^2 <= 2 Delta/(gamma T) + ``claimed``.

    Descent: with S = ||mean grad f_i(x_i)||^2 and gamma <= 1/L, ||grad f(xbar)||^2 is at most
    2/gamma times the decrease - (1 - gamma L) S + L^2 V + gamma L sigma2/n, V the mean squared
    distance from xbar. j <= H steps after an averaging xbar - x_i is gamma times a difference of
    two sums of j vectors of second moment G2, so V <= 2 gamma^2 (j^2 + j^2) G2.
    """
    j, rest, S, u = sp.symbols("j rest S u", nonnegative=True)
    two_sums = 2 * gamma**2 * (j * j * G2 + j * j * G2)
    drift = 4 * gamma**2 * H**2 * G2
    dropped = ((1 - gamma * PR_SGD_L) * S).subs(gamma, 1 / (PR_SGD_L * (1 + u)))
    later = (drift - two_sums).subs(H, j + 1 + rest)
    descent = PR_SGD_L**2 * drift + gamma * PR_SGD_L * sigma2 / n
    return settled(
        "pr_sgd",
        f"average squared gradient <= 2 Delta/(gamma T) + {claimed}",
        "Yu, Yang, Zhu 2018, arXiv:1807.06629, Theorem 1",
        nonnegative("the term in S may be dropped if gamma <= 1/L", dropped, S, u),
        nonnegative("the drift is at most that of H steps", later, j, rest, gamma, G2),
        equality("sum of T steps", descent, claimed),
        descends(pr_sgd, 2, claimed),
    )


# PR-SGD with momentum: the virtual model takes plain steps of gamma/(1 - m).


DRIFT = GAMMA**2 * H_velocity**2 * G2 / (1 - m) ** 2
BEHIND = GAMMA**2 * m**2 * G2 / (1 - m) ** 4


def virtual() -> tuple[DerivationStep, ...]:
    """z = x - gamma m/(1 - m) u, u+ = m u + g, x+ = x - gamma u+."""
    x, u, g = sp.symbols("x u g", real=True)
    after = m * u + g
    z = x - GAMMA * m / (1 - m) * u
    moved = (x - GAMMA * after) - GAMMA * m / (1 - m) * after
    t = sp.symbols("t", integer=True, nonnegative=True)
    r = sp.Function("r")
    length = sp.rsolve(r(t + 1) - m * r(t) - 1, r(t), {r(0): 0})
    return (
        equality("z takes the plain step", sp.simplify(moved - z), -GAMMA * g / (1 - m)),
        equality("velocities are at most G/(1 - m) long", length, (1 - m**t) / (1 - m)),
    )


def descent() -> DerivationStep:
    """Along z by eta = gamma/(1 - m) <= 1/(2L): f falls by eta/2 ||grad f(xbar)||^2 at least, up to
    eta/2 (eta L sigma2/n + L^2 V + 2 L^2 Z), Z = ||z - xbar||^2.

    <grad f(z), S> >= <grad f(xbar), S> - L sqrt(Z) ||S||, and L sqrt(Z) ||S|| <= L^2 Z + ||S||^2/4.
    """
    eta, g2, s2, V, Z, v = sp.symbols("eta g2 s2 V Z v", nonnegative=True)
    inner = (g2 + s2 - PR_SGD_MOMENTUM_L**2 * V) / 2 - PR_SGD_MOMENTUM_L**2 * Z - s2 / 4
    change = -eta * inner + eta**2 * PR_SGD_MOMENTUM_L / 2 * (s2 + sigma2 / n)
    kept = -eta / 2 * g2 + eta / 2 * (
        eta * PR_SGD_MOMENTUM_L * sigma2 / n
        + PR_SGD_MOMENTUM_L**2 * V
        + 2 * PR_SGD_MOMENTUM_L**2 * Z
    )
    slack = sp.simplify((kept - change).subs(eta, 1 / (2 * PR_SGD_MOMENTUM_L * (1 + v))))
    return nonnegative(
        "one step descends for gamma <= (1 - m)/(2L)", slack, v, s2, PR_SGD_MOMENTUM_L
    )


def prove_pr_sgd_momentum(drift: Any = DRIFT, behind: Any = BEHIND) -> Verdict:
    r"""avg E||grad f(xbar_t)||^2 <= 2 (1-m) Delta/(gamma T) + gamma L sigma2/((1-m) n) + L^2
    ``drift`` + 2 L^2 ``behind``.

    Velocities are averaged with the models, so that since the last meeting, at most H steps ago,
    each gradient has moved a worker from the mean by at most gamma/(1 - m) times its own distance
    from the mean gradient.
    """
    length, root = sp.symbols("l a", positive=True)
    young = PR_SGD_MOMENTUM_L**2 * root**2 + length**2 / 4 - PR_SGD_MOMENTUM_L * root * length
    eta = GAMMA / (1 - m)
    total = (
        2 * gap / (eta * TIME)
        + eta * PR_SGD_MOMENTUM_L * sigma2 / n
        + PR_SGD_MOMENTUM_L**2 * drift
        + 2 * PR_SGD_MOMENTUM_L**2 * behind
    )
    j, rest = sp.symbols("j rest", nonnegative=True)
    shorter = (DRIFT - DRIFT.subs(H_velocity, j)).subs(H_velocity, j + rest)
    return settled(
        "pr_sgd_momentum",
        f"workers are within {drift} of their mean, the virtual model within {behind}",
        "derived; setting of Yu, Jin, Yang 2019, arXiv:1905.03817",
        *virtual(),
        deviations(3),
        equality(
            "L a l <= L^2 a^2 + l^2/4 by a square",
            young,
            (PR_SGD_MOMENTUM_L * root - length / 2) ** 2,
        ),
        descent(),
        nonnegative(
            "fewer steps spread less", sp.simplify(shorter * (1 - m) ** 2), j, rest, GAMMA, G2
        ),
        equality(
            "distance of the virtual model", (GAMMA * m / (1 - m) / (1 - m)) ** 2 * G2, behind
        ),
        computes(pr_sgd_momentum, total),
    )


# Local steps, compressed increments, error memory: what a contraction leaves of H steps.


r = sp.sqrt(1 - delta)
RESIDUAL = H * r / (1 - r)


def prove_qsparse_local(residual: Any = RESIDUAL) -> Verdict:
    """Gradients within H - 1 of the mean model, which is within ``residual`` of z.

    A worker is at most H - 1 local steps from where all began, and in the mean square no further
    from the workers' mean; the residual e <- r (H + e), in gamma G, ends at ``residual``.
    """
    return settled(
        "qsparse_local",
        f"reach H - 1, behind by {residual}, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Basu et al. 2019, arXiv:1906.02367",
        *blocks(),
        *residuals(),
        equality(
            "what is left of H steps and the rest",
            sp.simplify(r * (H + residual)),
            residual,
        ),
        near(qsparse_local, H - 1, behind=residual),
    )


PROOFS = (
    prove_one_shot_averaging,
    prove_one_shot_strongly_convex,
    prove_pqasgd,
    prove_pr_sgd,
    prove_pr_sgd_momentum,
    prove_qsparse_local,
)
