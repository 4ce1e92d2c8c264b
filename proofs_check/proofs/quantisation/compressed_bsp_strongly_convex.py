r"""SGD with unbiased compression on strongly convex functions: the floor without shifts."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import TIME, evaluates, symbol
from proofs_check.verdict import Verdict
from theory.theorems.compressed_bsp_strongly_convex import compressed_bsp_strongly_convex

L, omega, n, sigma2, zeta2_star, mu, gamma = sp.symbols(
    "L omega n sigma2 zeta2_star mu gamma", positive=True
)
FLOOR = gamma * ((1 + omega) * sigma2 + 2 * omega * zeta2_star) / (mu * n)


def prove(claimed: Any = FLOOR) -> Verdict:
    r"""E||x_T - x*||^2 tends below ``claimed`` for gamma <= 1/(L (1 + 2 omega/n)).

    I = <grad f(x), x - x*>. ||grad f||^2 <= L I and (1/n) sum ||grad f_i||^2 <= 2 L I +
    2 zeta2_star, by ||a||^2 <= 2 ||a - b||^2 + 2 ||b||^2 at a = grad f_i(x), b = grad f_i(x*) and
    co-coercivity of each f_i: heterogeneity enters at x* only.
    """
    v, inner = sp.symbols("v I", nonnegative=True)
    a, b = sp.symbols("a b", real=True)
    moment = L * inner + sigma2 / n + omega / n * (sigma2 + 2 * L * inner + 2 * zeta2_star)
    change = -2 * gamma * inner + gamma**2 * moment
    noise = moment.subs(inner, 0)
    limit = 1 / (L * (1 + 2 * omega / n) * (1 + v))
    slack = sp.simplify((-gamma * inner + gamma**2 * noise - change).subs(gamma, limit))
    square = 2 * (a - b) ** 2 + 2 * b**2 - a**2
    d = sp.symbols("d", positive=True)
    (floor,) = sp.solve(sp.Eq(d, (1 - gamma * mu) * d + gamma**2 * noise), d)
    left = (1 - gamma * mu) ** TIME
    return settled(
        "compressed_bsp_strongly_convex",
        f"E||x_T - x*||^2 has the floor {claimed}",
        "derived; compare Mishchenko et al. 2019, arXiv:1901.09269",
        equality("||a||^2 <= 2||a-b||^2 + 2||b||^2 by a square", square, (a - 2 * b) ** 2),
        nonnegative("one step contracts", slack, v, inner, L, omega, n),
        equality("the fixed point of the recursion", floor, claimed),
        evaluates(compressed_bsp_strongly_convex, left * symbol("R2") + (1 - left) * claimed),
    )
