"""Derivations: choco gossip, choco mean, choco sgd nonconvex, choco sgd strongly convex, d psgd."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs import recursions as lemma
from proofs_check.proofs.derivation import (
    DerivationStep,
    equality,
    nonnegative,
    nonnegative_on_box,
    settled,
    truth,
)
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
from proofs_check.verdict import Verdict
from theory.theorems.choco_gossip import choco_gossip
from theory.theorems.choco_sgd_nonconvex import choco_sgd_nonconvex
from theory.theorems.choco_sgd_strongly_convex import choco_sgd_strongly_convex
from theory.theorems.d_psgd import d_psgd

# CHOCO-Gossip: one round loses at least p^2 delta/82 of the potential, for every p and delta.


p, beta, delta = sp.symbols("p beta delta", positive=True)
STEP = p * delta / (16 * p + p**2 + 4 * beta**2 + 2 * p * beta**2 - 8 * p * delta)
RATE = p**2 * delta / 82


def contraction(step: Any, rate: Any) -> tuple[DerivationStep, ...]:
    """(1 - rate) I - M^T M >= 0 for M = [[1 - g p, g beta s], [g beta, (1 + g beta) s]].

    s^2 = 1 - delta. Diagonal entries and determinant are quotients without negative coefficients
    on 0 < p <= 1, 0 < beta <= 2, 0 < delta <= 1.
    """
    x = step * beta
    first = 2 * step * p - (step * p) ** 2 - x**2 - rate
    second = 1 - (1 - delta) * (x**2 + (1 + x) ** 2) - rate
    cross = (1 - delta) * x**2 * (2 - step * p + x) ** 2
    box = {p: 1, beta: 2, delta: 1}
    parts = {"consensus": first, "copies": second, "determinant": first * second - cross}
    return tuple(
        nonnegative_on_box(f"{name} part of (1 - rate) I - M^T M", part, box)
        for name, part in parts.items()
    )


def slowest_mode(step: Any, rate: Any) -> DerivationStep:
    """For Q = I the slowest mode contracts by 1 - g p: its square may not exceed 1 - rate."""
    case = {p: sp.Rational(1, 100), beta: sp.Rational(4, 3), delta: 1}
    return truth(
        "the slowest mode of Q = I at p = 1/100",
        ((1 - step * p) ** 2).subs(case) <= (1 - rate).subs(case),
    )


def prove_choco_gossip(claimed: Any = RATE, step: Any = STEP) -> Verdict:
    r"""e_{t+1} <= (1 - ``claimed``) e_t at the consensus stepsize ``step``.

    With u = ||X - Xbar|| and v = ||X - Xhat|| in L2 (triangle inequality, ||W - J|| = 1 - p,
    ||I - W|| = beta, E||Q(z) - z||^2 <= s^2 ||z||^2): u' <= (1 - g p) u + g beta s v and
    v' <= g beta u + (1 + g beta) s v.
    """
    left = (1 - claimed.subs(p, 1 - symbol("lam"))) ** TIME
    return settled(
        "choco_gossip",
        f"one round loses {claimed} of the potential at the stepsize {step}",
        "Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, Theorem 2; stepsize corrected",
        slowest_mode(step, claimed),
        *contraction(step, claimed),
        evaluates(choco_gossip, left * symbol("initial_potential")),
    )


# CHOCO: averaging compressed differences never moves the mean, whatever is sent.


u, v, w, choco_mean_gamma = sp.symbols("u v w gamma", real=True)
MIXING = sp.Matrix([[1 - u - v, u, v], [u, 1 - u - w, w], [v, w, 1 - v - w]])


def prove_choco_mean(claimed: Any = MIXING) -> Verdict:
    r"""x_i + gamma sum_j W_ij (xhat_j - xhat_i) has the mean of the x_i, for W = ``claimed``.

    xhat is arbitrary, so the compressor plays no part; all symmetric W of size 3 with unit row sums
    are of the default form.
    """
    size = claimed.rows
    x = sp.Matrix(sp.symbols(f"x:{size}", real=True))
    public = sp.Matrix(sp.symbols(f"h:{size}", real=True))
    after = [
        x[i] + choco_mean_gamma * sum(claimed[i, j] * (public[j] - public[i]) for j in range(size))
        for i in range(size)
    ]
    return settled(
        "CHOCO mean",
        "the mean model is preserved exactly",
        "Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, Section 3",
        equality("row sums are 1", sum(claimed), size),
        equality("the mean is preserved", sum(after), sum(x)),
    )


# CHOCO-SGD, non-convex: the potential at a constant stepsize, put into the descent step.


choco_sgd_nonconvex_gamma, c, L, G2, n, e0, T, gap, sigma2 = sp.symbols(
    "gamma c L G2 n e0 T Delta sigma2", positive=True
)
CONSENSUS = 8 * choco_sgd_nonconvex_gamma**2 * L**2 * G2 / c**2 + 2 * L**2 * e0 / (n * c * T)


def prove_choco_sgd_nonconvex(claimed: Any = CONSENSUS) -> Verdict:
    r"""avg E||grad f(xbar_t)||^2 <= 2 Delta/(gamma T) + gamma L sigma2/n + ``claimed``.

    The potential obeys e+ = (1 - c/2) e + (4/c) n gamma^2 G2; its sum over T steps is at most that
    of the start, 2 e_0/c, and T fixed points. Descent: ||grad f(xbar)||^2 <= 2/gamma (decrease)
    - (1 - gamma L)||mean of gradients||^2 + L^2 e/n + gamma L sigma2/n.
    """
    t, v, m2 = sp.symbols("t v m2", nonnegative=True, integer=True)
    e = sp.Function("e")
    recursion = e(t + 1) - (1 - c / 2) * e(t) - 4 / c * n * choco_sgd_nonconvex_gamma**2 * G2
    solution = sp.rsolve(recursion, e(t), {e(0): e0})
    fixed = 8 * n * choco_sgd_nonconvex_gamma**2 * G2 / c**2
    closed = fixed + (1 - c / 2) ** t * (e0 - fixed)
    tail = (1 - choco_sgd_nonconvex_gamma * L) * m2
    decrease, g2, b2 = sp.symbols("D g2 b2", positive=True)
    spread = (e0 * 2 / c + T * fixed) / (n * T)
    change = (
        -choco_sgd_nonconvex_gamma / 2 * g2
        - choco_sgd_nonconvex_gamma / 2 * m2
        + choco_sgd_nonconvex_gamma / 2 * L**2 * b2
        + choco_sgd_nonconvex_gamma**2 * L / 2 * (m2 + sigma2 / n)
    )
    solved = sp.solve(sp.Eq(-decrease, change), g2)[0]
    wanted = (
        2 * decrease / choco_sgd_nonconvex_gamma
        - tail
        + L**2 * b2
        + choco_sgd_nonconvex_gamma * L * sigma2 / n
    )
    bound = (
        2 * gap / (choco_sgd_nonconvex_gamma * T)
        + choco_sgd_nonconvex_gamma * L * sigma2 / n
        + claimed
    )
    rate = RATE.subs(p, 1 - symbol("lam"))
    return settled(
        "choco_sgd_nonconvex",
        f"consensus costs {claimed}",
        "Koloskova et al. 2020, arXiv:1907.09356, Theorem 4.1; constants derived",
        equality("the potential in closed form", solution, closed),
        equality("the descent step", solved, wanted),
        nonnegative(
            "the mean gradient helps",
            tail.subs(choco_sgd_nonconvex_gamma, 1 / (L * (1 + v))),
            v,
            m2,
            L,
        ),
        equality("the consensus term", L**2 * spread, claimed),
        evaluates(choco_sgd_nonconvex, bound.subs(c, rate), initial_potential=11.0),
    )


# CHOCO-SGD, strongly convex: consensus error of order gamma_t^2, and what it costs.

CONSTANT = sp.Integer(40)  # e_t <= 40 n gamma_t^2 G2/c^2


def consensus(constant: Any) -> tuple[DerivationStep, ...]:
    """The bound on the potential is kept by one step, c = p^2 delta/82 <= 1/82, a >= 5/c.

    A gradient step adds at most gamma^2 (sum ||g_i - gbar||^2 + sum ||g_i||^2) <= 2 n gamma^2 G2,
    so e+ <= (1-c)((1 + c/2) e + (1 + 2/c) 2 n gamma^2 G2) <= (1 - c/2) e + (4/c) n gamma^2 G2;
    (gamma_{t+1}/gamma_t)^2 >= 1 - 2/(a + t + 1) >= 1 - 2c/5.
    """
    v = sp.symbols("v", nonnegative=True)
    inside = {c: 1 / (1 + v)}
    first = 1 - c / 2 - (1 - c) * (1 + c / 2)
    second = 4 / c - 2 * (1 - c) * (1 + 2 / c)
    keeps = sp.cancel((constant * (1 - 2 * c / 5) - constant * (1 - c / 2) - 4 * c) / c)
    return (
        nonnegative("the old potential shrinks by 1 - c/2", first.subs(inside), v),
        nonnegative("the gradients add at most 4/c", second.subs(inside), v),
        nonnegative("the bound on the potential is kept", keeps, v),
    )


def prove_choco_sgd_strongly_convex(claimed: Any = CONSTANT) -> Verdict:
    r"""The bound of the theorem, with ``claimed`` as the consensus constant.

    The step of the mean, by smoothness and strong convexity of each f_i:
    ||xbar+ - x*||^2 <= (1 - gamma mu)||xbar - x*||^2 - 2 gamma (1 - 2 L gamma) e
    + gamma^2 sigma2/n + (gamma L + 2 gamma^2 L^2) Xi; gamma = 1/(4 L (1 + w)).
    """
    gamma = sp.symbols("gamma", positive=True)
    w, e, spread = sp.symbols("w e Xi", nonnegative=True)
    exact = -2 * gamma * (1 - 2 * L * gamma) * e + (gamma * L + 2 * gamma**2 * L**2) * spread
    used = -gamma * e + sp.Rational(3, 2) * gamma * L * spread
    slack = (used - exact).subs(gamma, 1 / (4 * L * (1 + w)))
    third = sp.Rational(3, 2) * L * claimed * G2 / c**2
    bound = lemma.WEIGHTED_BOUND.subs({lemma.A: 1, lemma.B: sigma2 / n}).subs(lemma.C, third)
    T, a, mu = lemma.T, lemma.a, lemma.mu
    stated = mu * a**3 / 4 * lemma.R2 + 2 * T * (T + 2 * a) / (mu * n) * sigma2
    stated += 960 * T * L * G2 / (mu * c) ** 2
    rate = RATE.subs(p, 1 - symbol("lam"))
    return settled(
        "choco_sgd_strongly_convex",
        f"the bound with e_t <= {claimed} n gamma_t^2 G2/c^2",
        "Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, Theorem 4; constants derived",
        *consensus(claimed),
        nonnegative("the step of the mean for gamma <= 1/(4L)", sp.cancel(slack), w, e, spread, L),
        equality("the bound", bound * lemma.S_T, stated),
        evaluates(choco_sgd_strongly_convex, bound.subs(c, rate)),
    )


# D-PSGD: Theorem 1, what it gives at the stepsize of Corollary 2, and the cap on the stepsize.
#
# G is the sum over T steps of E||grad f(xbar_t)||^2, D that of the mean over workers of
# E||x_i - xbar||^2. Models are xbar_t and what (W^k - J), of norm lambda^k, left of earlier steps:
#
# - noise is orthogonal over steps, k = 0, 1, ...: gamma^2 sigma^2 / (1 - lambda^2) a worker;
# - means by Cauchy and Schwarz, each step's in all later ones: gamma^2 / (1 - lambda)^2 of the sum
#   of
#   the workers' squared gradients, which are at most 3 (L^2 D + T zeta^2 + G) in the mean;
# - so D is at most what it is in terms of itself and of G, and the descent lemma of the mean
#   model,
#   polarised, has L^2 D in place of how far the mean gradient is from grad f(xbar); what its
#   square
#   adds and takes is -gamma (1 - gamma L) / 2 of it, left out for gamma <= 1/L.
#
# This is Theorem 1 with 1 for n beside sigma^2, and 3 for 9 n beside zeta^2: the printed bound,
# whose proof goes by the worst worker, is larger.


sigma, zeta2 = sp.symbols("sigma zeta2", positive=True)

lam = sp.symbols("lam", positive=True)
SHARE = (GAMMA * L / (1 - lam)) ** 2
D2 = 1 - 18 * n * SHARE
D1 = sp.Rational(1, 2) - 9 * n * SHARE / D2
SPREAD = n * (GAMMA * L) ** 2 * (sigma2 / (1 - lam**2) + 9 * zeta2 / (1 - lam) ** 2) / D2
BOUND = (gap / (GAMMA * TIME) + GAMMA * L * sigma2 / (2 * n) + SPREAD) / D1
LEAD = (2 * gap + L) * sigma / sp.sqrt(n)


def theorem_1(bound: Any) -> tuple[DerivationStep, ...]:
    """T steps of the descent lemma, summed, and what they say beside ``bound``."""
    a, b, c, G, D = sp.symbols("a b c G D", real=True)
    m, v = sp.symbols("m v", nonnegative=True)
    power = sp.Symbol("l", positive=True)
    noise = 2 * GAMMA**2 * sigma2 * TIME / (1 - lam**2)
    means = 2 * GAMMA**2 / (1 - lam) ** 2 * 3 * (L**2 * D + TIME * zeta2 + G)
    apart = sp.solve(D - noise - means, D)[0]
    lengths = GAMMA**2 * L * sigma2 * TIME / (2 * n)
    left = gap - GAMMA / 2 * G + GAMMA / 2 * L**2 * apart + lengths  # at least 0, as f >= f*
    part = 1 - 6 * SHARE
    kept = sp.Rational(1, 2) - 3 * SHARE / part
    own = (GAMMA * L) ** 2 * (sigma2 / (1 - lam**2) + 3 * zeta2 / (1 - lam) ** 2) / part
    ours = (gap / (GAMMA * TIME) + GAMMA * L * sigma2 / (2 * n) + own) / kept
    small = {n: 1 + m, power: 1 / (18 * (1 + m) * (1 + v))}  # D_2 > 0
    theirs, mine = 1 - 18 * n * power, 1 - 6 * power
    return (
        equality("polarised", a * b, (a**2 + b**2 - (a - b) ** 2) / 2),
        equality(
            "three parts of a gradient",
            3 * (a**2 + b**2 + c**2) - (a + b + c) ** 2,
            (a - b) ** 2 + (b - c) ** 2 + (a - c) ** 2,
        ),
        equality("sum of T steps", sp.solve(left, G)[0] / TIME, ours),
        nonnegative("no step too long", (1 - GAMMA * L).subs(GAMMA, 1 / (L * (1 + v))), v),
        nonnegative("D_1, beside zeta^2", (9 * n / theirs - 3 / mine).subs(small), m, v),
        nonnegative("beside sigma^2", (n / theirs - 1 / mine).subs(small), m, v),
        evaluates(d_psgd, bound),
    )


def prove_d_psgd(claimed: Any = LEAD, bound: Any = BOUND) -> Verdict:
    r"""sqrt(T) times the bound at gamma = 1/(2L + sigma sqrt(T/n)) tends to ``claimed``.

    No lambda in it: the topology acts on terms of order 1/T. And gamma = (1 - lambda)/(L sqrt(54
    n)) makes D_1 = 1/4.
    """
    root = sp.symbols("r", positive=True)  # sqrt(T)
    here = sp.Rational(9, 10)
    gamma = 1 / (2 * L + sigma * root / sp.sqrt(n))
    u = 9 * gamma**2 * L**2 * n / (1 - here) ** 2
    d2 = 1 - 2 * u
    spread = sigma**2 / (1 - here**2) + 9 * zeta2 / (1 - here) ** 2
    noise = gamma * L * sigma**2 / (2 * n) + gamma**2 * L**2 * n * spread / d2
    there = (gap / (gamma * root**2) + noise) / (sp.Rational(1, 2) - u / d2)
    lead = sp.limit(sp.together(there * root), root, sp.oo)
    cap = sp.Rational(9, 54)
    return settled(
        "d_psgd",
        f"leading term {claimed}/sqrt(T), whatever the topology",
        "Lian et al. 2017, arXiv:1705.09056, Theorem 1, Corollary 2",
        *theorem_1(bound),
        equality("D_1 at the cap", sp.Rational(1, 2) - cap / (1 - 2 * cap), sp.Rational(1, 4)),
        equality("the leading term", lead, claimed),
    )


PROOFS = (
    prove_choco_gossip,
    prove_choco_mean,
    prove_choco_sgd_nonconvex,
    prove_choco_sgd_strongly_convex,
    prove_d_psgd,
)

COVERS = {"prove_choco_mean": ("choco-gossip", "choco-sgd")}
