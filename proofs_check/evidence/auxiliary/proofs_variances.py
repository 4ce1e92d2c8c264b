"""Derivations: error feedback by variances."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes
from proofs_check.proofs.norms import about_the_mean
from proofs_check.verdict import Verdict
from theory.theorems.ef_sgd_variance import ef_sgd_variance

n, L, sigma2, zeta2, delta, gap = (
    symbol(name) for name in ("n", "L", "sigma2", "zeta2", "delta", "initial_gap")
)
KEPT = 1 - delta / 2


def prove_ef_sgd_variance(kept: Any = KEPT) -> Verdict:
    """A step leaves ``kept`` of the residuals' mean square and adds what gradients bring.

    E||p - C(p)||^2 <= (1 - delta) E||p||^2, p = e + gamma grad f_i(x) + noise, whose mean square is
    orthogonal to the rest; (a + b)^2 <= (1 + s) a^2 + (1 + 1/s) b^2 with s = delta/(2 (1 - delta)).
    G is the mean over steps of ||grad f(x)||^2. delta = 1/(1 + u), gamma = delta/(4 L sqrt(1 -
    delta) (1 + v)).
    """
    a, b = sp.symbols("a b", real=True)
    u, v, G, g2 = sp.symbols("u v G g2", nonnegative=True)
    s = delta / (2 * (1 - delta))
    young = (1 + s) * a**2 + (1 + 1 / s) * b**2 - (a + b) ** 2
    brought = (1 - delta) * (1 + 1 / s)
    room = (2 * (1 - delta) / delta - brought).subs(delta, 1 / (1 + u))
    added = GAMMA**2 * (1 - delta) * (2 / delta * (G + zeta2) + sigma2)
    residuals = added / (1 - kept)
    rest = -GAMMA / 2 * g2 + GAMMA * L**2 * residuals.subs(G, g2) + GAMMA**2 * L / 2 * sigma2 / n
    total = sp.solve(sp.Eq(-gap, TIME * rest), g2)[0]
    D = 1 - 8 * (GAMMA * L) ** 2 * (1 - delta) / delta**2
    drift = 4 * (GAMMA * L) ** 2 * (1 - delta) * (2 * zeta2 / delta**2 + sigma2 / delta)
    bound = (2 * gap / (GAMMA * TIME) + GAMMA * L * sigma2 / n + drift) / D
    least = D.subs(GAMMA, delta / (4 * L * sp.sqrt(1 - delta) * (1 + v)))
    half = sp.simplify(least - sp.Rational(1, 2))
    g, w = sp.symbols("g w", real=True)
    return settled(
        "ef_sgd_variance",
        f"a step leaves {kept} of the residuals, so O(1/sqrt(nT)) without a bound on gradients",
        "derived; setting of Stich, Karimireddy 2019, arXiv:1909.05350",
        about_the_mean(),
        equality("Young", sp.simplify(young * s), sp.expand((s * a - b) ** 2)),
        equality("what is left", sp.simplify((1 - delta) * (1 + s)), kept),
        nonnegative("what gradients bring", sp.cancel(room), u),
        equality("the residual, by a square", g * (g - w) - 3 * g**2 / 4 + w**2, (g / 2 - w) ** 2),
        nonnegative(
            "a quarter pays for the step, gamma <= 1/(2 L)",
            sp.simplify((GAMMA / 4 - GAMMA**2 * L / 2).subs(GAMMA, 1 / (2 * L * (1 + v)))), v, L,
        ),
        nonnegative("D is at least a half", sp.cancel(half), v),
        equality("the sum of T steps", sp.simplify(total - bound), 0),
        computes(ef_sgd_variance, bound),
    )  # fmt: skip


PROOFS = (prove_ef_sgd_variance,)
