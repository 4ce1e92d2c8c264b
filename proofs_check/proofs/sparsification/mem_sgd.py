r"""MEM-SGD: the memory stays small, and the weighted recursion gives the bound."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs import weighted_recursion as lemma
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import evaluates
from proofs_check.verdict import Verdict
from theory.theorems.mem_sgd import mem_sgd

L, G2, delta = sp.symbols("L G2 delta", positive=True)
ALPHA = 5
MEMORY = sp.Rational(4 * ALPHA, ALPHA - 4)  # E||m_t||^2 <= MEMORY gamma_t^2 G2/delta^2


def memory(constant: Any) -> tuple[DerivationStep, ...]:
    """One step keeps E||m||^2 <= constant gamma^2 G2/delta^2, for a >= (alpha + 1)/delta.

    E||m+||^2 <= (1-delta)((1 + delta/2)||m||^2 + (1 + 2/delta) gamma^2 G2)
    <= (1 - delta/2)||m||^2 + (2/delta) gamma^2 G2, and
    (gamma_{t+1}/gamma_t)^2 >= 1 - 2/(a + t + 1) >= 1 - 2 delta/(alpha + 1).
    """
    v = sp.symbols("v", nonnegative=True)
    inside = {delta: 1 / (1 + v)}
    first = 1 - delta / 2 - (1 - delta) * (1 + delta / 2)
    second = 2 / delta - (1 - delta) * (1 + 2 / delta)
    keeps = constant * (1 - 2 * delta / (ALPHA + 1)) - constant * (1 - delta / 2) - 2 * delta
    return (
        nonnegative("the old memory shrinks by 1 - delta/2", first.subs(inside), v),
        nonnegative("the new step adds at most 2/delta", second.subs(inside), v),
        nonnegative("the bound on the memory is kept", sp.cancel(keeps / delta), v),
    )


def prove(claimed: Any = MEMORY) -> Verdict:
    r"""Theorem 2.4 with 4 alpha/(alpha - 4) = ``claimed`` at alpha = 5.

    Virtual iterate x~ = x - m: ||x~+ - x*||^2 <= (1 - gamma mu/2)||x~ - x*||^2 - gamma e_t
    + gamma^2 G2 + gamma (mu + 2L)||m||^2: the weighted recursion at mu/2, A = 1, B = G2,
    C = (mu + 2L) ``claimed`` G2/delta^2.
    """
    x, m = sp.symbols("x m", real=True)
    halves = x**2 - ((x - m) ** 2 / 2 - m**2)  # ||x||^2 >= ||x - m||^2/2 - ||m||^2
    third = (lemma.mu + 2 * L) * claimed * G2 / delta**2
    half = lemma.BOUND.subs(lemma.mu, lemma.mu / 2)
    bound = half.subs({lemma.A: 1, lemma.B: G2}).subs(lemma.C, third)
    T, a, mu = lemma.T, lemma.a, lemma.mu
    stated = 4 * T * (T + 2 * a) / mu * G2 + mu * a**3 / 8 * lemma.R2
    stated += 64 * T * (1 + 2 * L / mu) / mu * MEMORY * G2 / delta**2
    return settled(
        "mem_sgd",
        f"Theorem 2.4 with memory constant {claimed}",
        "Stich, Cordonnier, Jaggi 2018, arXiv:1809.07599, Theorem 2.4, Lemmas 3.1 to 3.3",
        *memory(claimed),
        equality("||x||^2 >= ||x - m||^2/2 - ||m||^2 by a square", halves, (x + m) ** 2 / 2),
        equality("the bound", bound * lemma.S_T, stated),
        evaluates(mem_sgd, bound),
    )
