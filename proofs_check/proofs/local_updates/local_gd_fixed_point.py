r"""Local GD on different quadratics: its fixed point has the weights 1 - (1 - gamma a_i)^H."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, settled
from proofs_check.verdict import Verdict

COVERS = ("local-sgd",)

gamma = sp.symbols("gamma", positive=True)
H = sp.symbols("H", integer=True, positive=True)
a0, a1 = sp.symbols("a0 a1", positive=True)
b0, b1 = sp.symbols("b0 b1", real=True)


def weight(a: Any) -> Any:
    """Weight 1 - (1 - gamma a)^H of a worker with curvature a at the fixed point."""
    return 1 - (1 - gamma * a) ** H


POINT = (weight(a0) * b0 + weight(a1) * b1) / (weight(a0) + weight(a1))


def prove(claimed: Any = POINT) -> Verdict:
    r"""H steps on (a_i/2)(x - b_i)^2 from x, then the mean: x is left alone at ``claimed``."""
    x = sp.symbols("x", real=True)
    t = sp.symbols("t", integer=True, nonnegative=True)
    y = sp.Function("y")
    ends = []
    for a, b in ((a0, b0), (a1, b1)):
        local = sp.rsolve(y(t + 1) - y(t) + gamma * a * (y(t) - b), y(t), {y(0): x})
        ends.append(local.subs(t, H))
    (fixed,) = sp.solve(sp.Eq(x, sum(ends) / 2), x)
    optimum = (a0 * b0 + a1 * b1) / (a0 + a1)
    case = {a0: 1, a1: 4, b0: 0, b1: 1, gamma: sp.Rational(1, 10)}
    return settled(
        "local GD fixed point",
        f"fixed point {claimed}",
        "derived; compare Karimireddy et al. 2020, arXiv:1910.06378, Section 3.2",
        equality("the fixed point", fixed, claimed),
        equality("H = 1 stops at the minimum", claimed.subs(H, 1), optimum),
        equality(
            "a = (1, 4), b = (0, 1), gamma = 1/10, H = 2",
            claimed.subs(case).subs(H, 2),
            sp.Rational(64, 83),
        ),
    )
