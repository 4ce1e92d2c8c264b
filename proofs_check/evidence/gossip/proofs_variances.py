"""Derivations: D-PSGD by variances."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes
from proofs_check.proofs.norms import about_the_mean, mixing
from proofs_check.verdict import Verdict
from theory.theorems.d_psgd_variance import d_psgd_variance

n, L, sigma2, zeta2, lam, gap = (
    symbol(name) for name in ("n", "L_max", "sigma2", "zeta2", "lam", "initial_gap")
)
SPREAD = GAMMA**2 * (4 * zeta2 / (1 - lam) ** 2 + 2 * sigma2 / (1 - lam))


def prove_d_psgd_variance(spread: Any = SPREAD) -> Verdict:
    """The mean over steps of Xi = (1/n) sum_i E||x_i - xbar||^2 is at most ``spread``.

    A round is (W - J) x - gamma (I - J) g, or W of the whole, which is no longer: the first part is
    lam of the spread; the second splits into noise, orthogonal to all else, and means, whose square
    is at most that of their distance from grad f(xbar), 2 L^2 Xi + 2 zeta^2. gamma = (1 - lam)/(2 L
    (1 + v)), lam = 1/(1 + u).
    """
    a, b = sp.symbols("a b", real=True)
    xi, u, v = sp.symbols("Xi u v", nonnegative=True)
    root = (1 - lam) * a - lam * b  # of what Young's inequality gives away
    young = a**2 / lam + b**2 / (1 - lam) - (a + b) ** 2
    kept = lam + 2 * (GAMMA * L) ** 2 / (1 - lam)
    added = GAMMA**2 * (2 * zeta2 / (1 - lam) + sigma2)
    room = ((1 + lam) / 2 - kept).subs(GAMMA, (1 - lam) / (2 * L * (1 + v)))
    h2, g2 = sp.symbols("h2 g2", nonnegative=True)
    left = -GAMMA / 2 * (g2 + h2 - L**2 * xi) + GAMMA**2 * L / 2 * (h2 + sigma2 / n)
    rest = -GAMMA / 2 * (g2 - L**2 * xi) + GAMMA**2 * L / 2 * sigma2 / n
    step = (rest - left).subs(GAMMA, 1 / (L * (1 + v)))
    total = sp.solve(sp.Eq(-gap, TIME * rest), g2)[0].subs(xi, spread)
    bound = 2 * gap / (GAMMA * TIME) + GAMMA * L * sigma2 / n + L**2 * spread
    return settled(
        "d_psgd_variance",
        f"spreads are at most {spread} in the mean, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Koloskova et al. 2020, arXiv:2003.10422",
        mixing(),
        about_the_mean(),
        equality("lam a^2/lam^2 and b^2/(1 - lam)", sp.simplify(young * lam * (1 - lam)), root**2),
        equality("two parts of a gradient", 2 * a**2 + 2 * b**2 - (a + b) ** 2, (a - b) ** 2),
        nonnegative(
            "half of 1 - lam is left", sp.cancel(room.subs(lam, 1 / (1 + u))), u, v
        ),
        equality("all rounds together", sp.simplify(added / ((1 - lam) / 2)), sp.expand(spread)),
        nonnegative("the mean model descends for gamma <= 1/L", sp.simplify(step), v, h2, L),
        equality("the sum of T steps", sp.expand(total), sp.expand(bound)),
        computes(d_psgd_variance, bound),
    )  # fmt: skip


PROOFS = (prove_d_psgd_variance,)
