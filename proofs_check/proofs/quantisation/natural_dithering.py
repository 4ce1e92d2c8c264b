r"""Natural dithering in the Euclidean norm: smaller than the paper's constant by a square."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.verdict import Verdict

w = sp.symbols("w", positive=True)  # sqrt(d) 2^(1-s), s levels besides 0
NEAR = sp.Rational(1, 8) + sp.Rational(2, 9) * w**2  # for w <= 9/4
FAR = w - 1  # for w >= 9/4


def prove(claimed: Any = NEAR, far: Any = FAR) -> Verdict:
    r"""omega = ``claimed`` for w <= 9/4, else ``far``: at most 1/8 + w min(1, w), the paper's.

    Norm 1; coordinates above 2^(1-s) vary by at most 1/8 of their square (as natural compression),
    the others t by (2^(1-s) - t) t, together at most w r - r^2 with r^2 their square norm
    (||t||_1 <= sqrt(d) r); the sum is 1/8 + w r - 9/8 r^2 on 0 <= r <= 1.
    """
    r, u = sp.symbols("r u", nonnegative=True)
    e = sp.symbols("e", nonnegative=True)
    total = (1 - r**2) / 8 + w * r - r**2
    best = sp.Rational(4, 9) * w
    square = sp.Rational(9, 8) * (r - best) ** 2
    edge = {w: sp.Rational(9, 4) * (1 + u), r: 1 / (1 + e)}
    beyond = sp.simplify((far - total).subs(edge))
    low, mid = NEAR.subs(w, sp.Rational(9, 4)), FAR.subs(w, sp.Rational(9, 4))
    one = sp.Rational(1, 8)
    return settled(
        "natural dithering",
        f"omega = {claimed} for w <= 9/4, {far} beyond",
        "Horvath et al. 2019, arXiv:1905.10988, Theorem 7 (p = 2); constant derived",
        equality("the bound by a square", claimed - total, square),
        nonnegative("beyond 9/4", beyond, u, e),
        equality("the two meet", low, mid),
        nonnegative("below the paper's for w <= 1", one + w**2 - NEAR, w),
        nonnegative(
            "for 1 <= w <= 9/4",
            sp.simplify((one + w - NEAR).subs(w, sp.Rational(9, 4) / (1 + u))),
            u,
        ),
        nonnegative("and beyond", one + w - FAR, w),
    )
