"""Derivations: error feedback on workers and server by variances."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes
from proofs_check.proofs.norms import about_the_mean, triangle
from proofs_check.verdict import Verdict
from theory.theorems.ef_sgd_two_way_variance import ef_sgd_two_way_variance

n, L, sigma2, zeta2, gap = (symbol(name) for name in ("n", "L", "sigma2", "zeta2", "initial_gap"))
r_up, r_down = sp.symbols("r1 r2", positive=True)
TOGETHER = (r_up + r_down) / ((1 - r_up) * (1 - r_down))


def prove_ef_sgd_two_way_variance(claimed: Any = TOGETHER) -> Verdict:
    """sqrt((1/T) sum_t E||e + mean e_i||^2) <= gamma ``claimed`` ||g||, r_j = sqrt(1 - delta_j).

    ||.|| is the root of the mean square over steps and workers. A residual after a step is at most
    r (||e|| + gamma ||g||), residuals begin at 0, and those before a step are summed over fewer.
    G is the mean over steps of ||grad f(x)||^2; gamma = 1/(2 L A (1 + v)).
    """
    x, e, s, g, up, down = sp.symbols("x e s g C1 C2", real=True)
    worker = g + e - up
    server = up + s - down
    after = (x - down) - worker - server
    mine = r_up / (1 - r_up)
    message = 1 + 2 * mine
    theirs = r_down / (1 - r_down) * message
    G, v = sp.symbols("G v", nonnegative=True)
    A = sp.Symbol("A", positive=True)
    residuals = (GAMMA * A) ** 2 * (G + zeta2 + sigma2)
    rest = -GAMMA / 2 * G + GAMMA * L**2 * residuals + GAMMA**2 * L / 2 * sigma2 / n
    total = sp.solve(sp.Eq(-gap, TIME * rest), G)[0]
    D = 1 - 2 * (GAMMA * L * A) ** 2
    own = 2 * (GAMMA * L * A) ** 2 * (zeta2 + sigma2)
    bound = (2 * gap / (GAMMA * TIME) + GAMMA * L * sigma2 / n + own) / D
    half = sp.simplify(D.subs(GAMMA, 1 / (2 * L * A * (1 + v))) - sp.Rational(1, 2))
    p, w = sp.symbols("p w", real=True)
    lost = {r_up: sp.sqrt(1 - symbol("delta_up")), r_down: sp.sqrt(1 - symbol("delta_down"))}
    return settled(
        "ef_sgd_two_way_variance",
        f"both residuals are at most gamma {claimed} times the gradients of the run",
        "derived; setting of Zheng, Huang, Kwok 2019, arXiv:1905.10936",
        *triangle(),
        about_the_mean(),
        equality("the virtual iterate takes the plain step", after, x - e - s - g),
        equality("the workers' fixed point", r_up * (1 + mine), mine),
        equality("the mean message is g + e - e+", up, g + e - worker),
        equality("the server's fixed point", r_down * (message + theirs), theirs),
        equality("the two together", sp.simplify(mine + theirs - claimed), 0),
        equality("the residual, by a square", p * (p - w) - 3 * p**2 / 4 + w**2, (p / 2 - w) ** 2),
        nonnegative(
            "a quarter pays for the step, gamma <= 1/(2 L)",
            sp.simplify((GAMMA / 4 - GAMMA**2 * L / 2).subs(GAMMA, 1 / (2 * L * (1 + v)))), v, L,
        ),
        nonnegative("D is at least a half", sp.cancel(half), v),
        equality("the sum of T steps", sp.simplify(total - bound), 0),
        computes(ef_sgd_two_way_variance, bound.subs(A, claimed).subs(lost)),
    )  # fmt: skip


PROOFS = (prove_ef_sgd_two_way_variance,)
