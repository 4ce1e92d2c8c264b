"""Derivations: shifts that are renewed at random, strongly convex."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
from proofs_check.proofs.expressions import limit_of
from proofs_check.verdict import Verdict
from theory.theorems.rand_diana import rand_diana

L, Lm, mu, n, omega, p, R2, star = (
    symbol(name) for name in ("L", "L_max", "mu", "n", "omega", "refresh", "R2", "zeta2_star")
)
WEIGHT = 4 * GAMMA**2 * omega / (n * p)
RAND_DIANA_BOUND = (1 - sp.Min(GAMMA * mu, p / 2)) ** TIME * (R2 + WEIGHT * star)


def prove_rand_diana(
    claimed: Any = RAND_DIANA_BOUND, weight: Any = WEIGHT, share: Any = 6
) -> Verdict:
    r"""d + ``weight`` H falls by max(1 - gamma mu, 1 - p/2), gamma <= 1/(L + ``share`` omega Lm/n).

    d = ||x - x*||^2, H = (1/n) sum ||h_i - grad f_i(x*)||^2, I = <grad f(x), x - x*> >= mu d;
    co-coercivity: ||grad f||^2 <= L I, (1/n) sum ||grad f_i(x) - grad f_i(x*)||^2 <= Lm I.
    """
    inner, H, d2, v = sp.symbols("I H d2 v", nonnegative=True)
    g, h, at = sp.symbols("g h h_star", real=True)
    moment = L * inner + omega / n * (2 * Lm * inner + 2 * H)
    after = d2 - 2 * GAMMA * inner + GAMMA**2 * moment
    after += weight * ((1 - p) * H + p * Lm * inner)
    kept = d2 - GAMMA * inner + weight * (1 - p / 2) * H
    limit = 1 / (L + share * omega * Lm / n)
    slack = sp.simplify((kept - after).subs(GAMMA, limit / (1 + v)))
    young = 2 * (g - at) ** 2 + 2 * (h - at) ** 2 - (g - h) ** 2
    return settled(
        "rand_diana",
        f"||x_T - x*||^2 <= {claimed}",
        "Shulgin, Richtarik 2022, arXiv:2206.10452; constants derived",
        equality("||a - b||^2 <= 2||a||^2 + 2||b||^2 by a square", young, (g + h - 2 * at) ** 2),
        equality("H of the start, h = 0", ((h - at) ** 2).subs(h, 0), at**2),
        nonnegative("the Lyapunov function falls", slack, v, inner, H, L, Lm, omega, n, p),
        equality("the limit", limit_of(rand_diana), 1 / (L + share * omega * Lm / n)),
        evaluates(rand_diana, claimed),
        evaluates(rand_diana, claimed, refresh=0.25),
    )


PROOFS = (prove_rand_diana,)
