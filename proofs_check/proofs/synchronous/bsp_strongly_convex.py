r"""SGD on strongly convex functions, constant stepsize: the recursion in closed form."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import TIME, evaluates
from proofs_check.verdict import Verdict
from theory.theorems.bsp_strongly_convex import bsp_strongly_convex

gamma, mu, sigma2, n = sp.symbols("gamma mu sigma2 n", positive=True)
FLOOR = gamma * sigma2 / (mu * n)


def prove(claimed: Any = FLOOR) -> Verdict:
    r"""d_{t+1} = (1 - gamma mu) d_t + gamma^2 sigma2/n tends to the floor ``claimed``.

    One step: with I = <grad f, x - x*> and ||grad f||^2 <= L I, the change of ||x - x*||^2 is at
    most -2 gamma I + gamma^2 L I, which is at most -gamma I for gamma = 1/(L (1 + v)).
    """
    L, inner, v = sp.symbols("L I v", nonnegative=True)
    t = sp.symbols("t", integer=True, nonnegative=True)
    R2 = sp.symbols("R2", positive=True)
    d = sp.Function("d")
    change = (-2 * gamma + gamma**2 * L) * inner
    slack = (-gamma * inner - change).subs(gamma, 1 / (L * (1 + v)))
    step = d(t + 1) - (1 - gamma * mu) * d(t) - gamma**2 * sigma2 / n
    solution = sp.rsolve(step, d(t), {d(0): R2})
    left = (1 - gamma * mu) ** t
    bound = left * R2 + (1 - left) * claimed
    return settled(
        "bsp_strongly_convex",
        f"the recursion has the floor {claimed}",
        "Bottou, Curtis, Nocedal 2018, arXiv:1606.04838, Theorem 4.6",
        nonnegative("one step contracts for gamma <= 1/L", slack, v, inner, L),
        equality("the sum of the series", solution, bound),
        evaluates(bsp_strongly_convex, bound.subs(t, TIME)),
    )
