r"""CHOCO-Gossip: one round loses at least p^2 delta/82 of the potential, for every p and delta."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, nonnegative_on_box, settled, truth
from proofs_check.proofs.evaluated import TIME, evaluates, symbol
from proofs_check.verdict import Verdict
from theory.theorems.choco_gossip import choco_gossip

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


def prove(claimed: Any = RATE, step: Any = STEP) -> Verdict:
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
