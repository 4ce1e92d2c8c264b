"""TernGrad: omega = (sqrt(d) - 1)/2, attained at (1, a, ..., a) with a = 1/(1 + sqrt(d))."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, settled, truth
from proofs_check.proofs.lagrange import sums_of_squares
from proofs_check.verdict import Verdict

root = sp.symbols("r", positive=True)  # sqrt(d)
SUP = (root - 1) / 2


def prove(claimed: Any = SUP) -> Verdict:
    """sup over x of E||C(x) - x||^2/||x||^2 is ``claimed``, r = sqrt(d), d >= 2.

    By scale max |x_j| = 1; the variance sums to ||x||_1 - ||x||^2. For the other d - 1 coordinates
    and a given sum, equal ones have the least squares (Lagrange's identity), so
    omega = (1 + (d-1) a)/(1 + (d-1) a^2) - 1 for one a in [0, 1].
    """
    a = sp.symbols("a", positive=True)
    rest = root**2 - 1
    omega = (1 + rest * a) / (1 + rest * a**2) - 1
    worst = 1 / (1 + root)
    gap = sp.factor(sp.together(claimed - omega))
    square = (root - 1) * ((1 + root) * a - 1) ** 2 / (2 * (1 + rest * a**2))
    v = sp.symbols("v:4", nonnegative=True)
    variance = sum((1 - x) * x for x in v)
    return settled(
        "TernGrad",
        f"sup omega = {claimed}, r = sqrt(d)",
        "Wen et al. 2017, arXiv:1705.07878; tight value derived",
        equality("variance ||x||_1 - ||x||^2", variance, sum(v) - sum(x**2 for x in v)),
        sums_of_squares(4),
        equality("the derivative vanishes there", sp.diff(omega, a).subs(a, worst), 0),
        equality("the value there", omega.subs(a, worst), claimed),
        equality("the bound for all a by a square", gap, square),
        truth("the worst a lies in [0, 1]", sp.simplify(1 - worst).is_positive),
    )
