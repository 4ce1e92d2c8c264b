"""Gradient descent along a contraction of the gradient, without memory."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes
from proofs_check.verdict import Verdict
from theory.theorems.contraction_descent import contraction_descent

L, delta, gap = (symbol(name) for name in ("L", "delta", "initial_gap"))
BOUND = 2 * gap / (delta * GAMMA * TIME)


def prove(claimed: Any = BOUND, error: Any = 1 - delta) -> Verdict:
    r"""avg E||grad f(x_t)||^2 <= ``claimed`` where E||C(g) - g||^2 <= ``error`` ||g||^2.

    <g, C> = (g2 + ||C||^2 - ||C - g||^2)/2: f falls by gamma/2 (1 - ``error``) g2 at least, for
    gamma <= 1/L. A contraction that keeps (1 - sqrt(1 - delta)) g shows that delta matters.
    """
    g2, c2, v = sp.symbols("g2 c2 v", nonnegative=True)
    change = -GAMMA / 2 * (g2 + c2 - error * g2) + GAMMA**2 * L / 2 * c2
    kept = -GAMMA / 2 * (1 - error) * g2
    slack = sp.simplify((kept - change).subs(GAMMA, 1 / (L * (1 + v))))
    total = sp.solve(sp.Eq(gap, TIME * GAMMA / 2 * (1 - error) * g2), g2)[0]
    return settled(
        "contraction_descent",
        f"average squared gradient <= {claimed}",
        "derived; setting of de Klerk, Glineur, Taylor 2020, arXiv:1709.05191",
        nonnegative("one step descends for gamma <= 1/L", slack, v, c2, g2, L),
        equality("T steps telescope", total, claimed),
        computes(contraction_descent, claimed),
    )
