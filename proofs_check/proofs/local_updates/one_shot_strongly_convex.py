"""One-shot averaging: squares are convex, and each worker runs SGD alone."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
from proofs_check.proofs.local_updates.local_sgd_pl import deviations
from proofs_check.verdict import Verdict
from theory.theorems.one_shot_strongly_convex import one_shot_strongly_convex

mu, sigma2, R2 = (symbol(name) for name in ("mu", "sigma2", "R2"))
FLOOR = GAMMA * sigma2 / mu


def prove(claimed: Any = FLOOR) -> Verdict:
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
