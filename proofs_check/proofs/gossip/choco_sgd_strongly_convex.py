r"""CHOCO-SGD, strongly convex: consensus error of order gamma_t^2, and what it costs."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs import weighted_recursion as lemma
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import evaluates, symbol
from proofs_check.proofs.gossip.choco_gossip import RATE, p
from proofs_check.verdict import Verdict
from theory.theorems.choco_sgd_strongly_convex import choco_sgd_strongly_convex

c, L, G2, sigma2, n = sp.symbols("c L G2 sigma2 n", positive=True)
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


def prove(claimed: Any = CONSTANT) -> Verdict:
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
    bound = lemma.BOUND.subs({lemma.A: 1, lemma.B: sigma2 / n}).subs(lemma.C, third)
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
