r"""Majority vote: the chance of a wrong vote is at most sigma_j/(sqrt(n) |g_j|)."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled, truth
from proofs_check.proofs.evaluated import evaluates, symbol
from proofs_check.proofs.signs.signsgd import FLOOR, T, gamma, gap, sigma1
from proofs_check.verdict import Verdict
from theory.theorems.signsgd_majority import signsgd_majority

S = sp.symbols("S", positive=True)  # |g_j|/sigma_j
BOUND = 1 / S  # sqrt(n) times the chance


def prove(claimed: Any = BOUND) -> Verdict:
    r"""Each sign is wrong with q = 1/2 - eps; P(vote wrong) <= ``claimed``/sqrt(n).

    Cantelli: P(Z <= n/2) <= 1/(1 + m^2/V) with m = n eps, V = n (1/4 - eps^2), and
    1 + y^2 >= 2 y. Gauss: q <= 2/(9 S^2) for S >= 2/sqrt(3), else q <= 1/2 - S/(2 sqrt(3)).
    """
    y, n, eps = sp.symbols("y n epsilon", positive=True)
    v, u = sp.symbols("v u", nonnegative=True)
    squared = 1 / (4 * (n * eps) ** 2 / (n * (sp.Rational(1, 4) - eps**2)))
    quarter = (1 / (4 * eps**2) - 1) / 4  # n times the square of the chance
    near = quarter.subs(eps, S / (2 * sp.sqrt(3)))
    far = quarter.subs(eps, sp.Rational(1, 2) - 2 / (9 * S**2))
    edge = 2 / sp.sqrt(3)
    left = sp.cancel(sp.simplify((claimed**2 - near) * S**2).subs(S, edge / (1 + v)))
    right = sp.cancel(sp.simplify((claimed**2 - far).subs(S, edge * (1 + u))))
    pieces = [
        (2 / (9 * S**2)).subs(S, edge),
        (sp.Rational(1, 2) - S / (2 * sp.sqrt(3))).subs(S, edge),
    ]
    # as of one worker, each sign wrong with 1/sqrt(n) of the chance
    vote = FLOOR.subs(sigma1, claimed * S * sigma1 / sp.sqrt(symbol("n")))
    return settled(
        "signsgd_majority",
        f"P(vote wrong) <= {claimed}/sqrt(n)",
        "Bernstein et al. 2018, arXiv:1802.04434, Theorem 2(b)",
        equality("1 + y^2 - 2 y is a square", 1 + y**2 - 2 * y, (1 - y) ** 2),
        equality("n times Cantelli's square", n * squared, quarter),
        truth("the two bounds on q meet", sp.simplify(pieces[0] - pieces[1]) == 0),
        nonnegative("weak signal", left, v),
        nonnegative("strong signal", right, u),
        evaluates(signsgd_majority, gap / (gamma * T) + vote),
    )
