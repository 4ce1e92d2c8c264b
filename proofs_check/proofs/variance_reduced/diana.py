r"""DIANA on strongly convex functions: the Lyapunov function contracts."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import TIME, evaluates, symbol
from proofs_check.verdict import Verdict
from theory.theorems.diana import diana

L, omega, n, sigma2, gamma, alpha = sp.symbols("L omega n sigma2 gamma alpha", positive=True)
zeta2_star = sp.symbols("zeta2_star", positive=True)
NOISE = (1 + 5 * omega) * sigma2 / n
WEIGHT = 4 * gamma**2 * omega / (n * alpha)
START = WEIGHT * zeta2_star


def prove(claimed: Any = NOISE, weight: Any = WEIGHT, share: Any = 6) -> Verdict:
    r"""d + ``weight`` H falls by max(1 - gamma mu, 1 - alpha/2), up to gamma^2 ``claimed``.

    d = ||x - x*||^2, H = (1/n) sum ||h_i - h_i*||^2, I = <grad f(x), x - x*> >= mu d, and
    gamma <= 1/(L (1 + ``share`` omega/n)). In one coordinate: h+ - h* has the second moment
    (h - h*)^2 + 2 alpha (g - h)(h - h*) + alpha^2 (1 + omega)(g - h)^2, alpha (1 + omega) <= 1.
    Heterogeneity enters at x* only, through H = zeta2_star at the start, where h = 0.
    """
    inner, H, d2, v = sp.symbols("I H d2 v", nonnegative=True)
    g, h, star = sp.symbols("g h h_star", real=True)
    shift = (h - star) ** 2 + 2 * alpha * (g - h) * (h - star) + alpha * (g - h) ** 2
    moment = L * inner + sigma2 / n + omega / n * (sigma2 + 2 * L * inner + 2 * H)
    after = d2 - 2 * gamma * inner + gamma**2 * moment
    after += weight * ((1 - alpha) * H + alpha * (L * inner + sigma2))
    kept = d2 - gamma * inner + weight * (1 - alpha / 2) * H + gamma**2 * claimed
    limit = 1 / (L * (1 + share * omega / n) * (1 + v))
    slack = sp.simplify((kept - after).subs(gamma, limit))
    young = 2 * (g - star) ** 2 + 2 * (h - star) ** 2 - (g - h) ** 2
    rate = sp.Min(gamma * symbol("mu"), alpha / 2)
    left = (1 - rate) ** TIME
    return settled(
        "diana",
        f"noise of one step gamma^2 {claimed}, weight {weight}, step 1/(L (1 + {share} omega/n))",
        "Mishchenko et al. 2019, arXiv:1901.09269; constants derived",
        equality(
            "the shift's second moment",
            shift,
            (1 - alpha) * (h - star) ** 2 + alpha * (g - star) ** 2,
        ),
        equality("H of the start, h = 0", ((h - star) ** 2).subs(h, 0), star**2),
        equality("||a - b||^2 <= 2||a||^2 + 2||b||^2 by a square", young, (g + h - 2 * star) ** 2),
        nonnegative("the Lyapunov function falls", slack, v, inner, H, L, omega, n, sigma2, alpha),
        evaluates(diana, left * (symbol("R2") + START) + (1 - left) / rate * gamma**2 * claimed),
    )
