r"""Projected DGD: mixing and projection bring no worker further from x*, on average."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.expressions import computes
from proofs_check.proofs.gossip_convex.dgd import spread, telescope
from proofs_check.verdict import Verdict
from theory.theorems.projected_dgd import projected_dgd

gamma, length, R2, T, lam = sp.symbols("gamma l R2 T lambda", positive=True)
AMOUNT = R2 / (2 * gamma * T) + gamma * length**2 * (sp.Rational(1, 2) + lam / (1 - lam))


def prove(claimed: Any = AMOUNT) -> Verdict:
    r"""f(average of the mean models) - f(x*) <= ``claimed`` for every x* in X.

    ||x_i^+ - x*||^2 <= ||v_i - gamma g_i - x*||^2, because projections do not expand, and sum_i
    ||v_i - x*||^2 <= sum_i ||x_i - x*||^2, because W is doubly stochastic and squares are convex.
    x_i^+ is within gamma l of v_i, which lies in X, so models are within gamma l/(1 - lambda) of
    their mean on average and mixed points within lambda times that; f(vbar) - f_i(v_i) costs l
    times it, once.
    """
    a, b, w = sp.symbols("a b w", positive=True)  # two points at distances a, b; weight w of one
    room = sp.symbols("u", positive=True)  # 1/(1 - lambda) = 1 + u
    mixed = w * a**2 + (1 - w) * b**2 - (w * a + (1 - w) * b) ** 2
    total = R2 / (2 * gamma * T) + gamma * length**2 / 2 + length * lam * gamma * length / (1 - lam)
    gap = sp.expand(sp.simplify((claimed - total).subs(lam, room / (1 + room))))
    return settled(
        "projected_dgd",
        f"f(average) - f(x*) <= {claimed}",
        "derived; Ram, Nedic, Veeravalli 2010, arXiv:0811.2595, Theorem 1",
        telescope("one step before projection"),
        equality("mixing shrinks squares", mixed, w * (1 - w) * (a - b) ** 2),
        spread(),
        nonnegative("the sums fit", gap, room, gamma, length, R2),
        computes(projected_dgd, claimed),
    )
