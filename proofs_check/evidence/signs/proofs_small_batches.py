"""Derivations: signSGD with batches of any size."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
from proofs_check.verdict import Verdict
from theory.theorems.signsgd_small_batches import signsgd_small_batches

L1, sigma1, gap = (symbol(name) for name in ("L_one", "sigma_one", "initial_gap"))
SHARE = 1 / sp.sqrt(3)
"""Of the theorem's mean, what a step lowers f by, over gamma."""


def prove_signsgd_small_batches(share: Any = SHARE) -> Verdict:
    """A step lowers f by gamma ``share`` (|g| where S > 2/sqrt(3), else g^2/sigma) in a coordinate,
    S = |g|/sigma, up to gamma^2 L/2.

    Gauss: a sign is wrong with at most 2/(9 S^2) there, else 1/2 - S/(2 sqrt(3)). Both parts of the
    mean are above 2 a |g| - a^2 sigma for a <= 1/2: a = 1/(2 (1 + v)).
    """
    g, s, a, B = sp.symbols("g s a B", positive=True)
    u, v = sp.symbols("u v", nonnegative=True)
    far = (1 - 2 * 2 / (9 * (2 / sp.sqrt(3) + u) ** 2)) - share
    weak = 1 - 2 * (sp.Rational(1, 2) - g / s / (2 * sp.sqrt(3)))
    line = 2 * a * g - a**2 * s
    one = sp.symbols("mean", positive=True)
    step = -GAMMA * share * one + GAMMA**2 * L1 / 2
    total = sp.solve(sp.Eq(-gap, TIME * step), one)[0]
    mixed = sp.sqrt(3) * (gap / (GAMMA * TIME) + GAMMA * L1 / 2)
    worth = B / (2 * a) + a * sigma1 / 2
    best = sp.sqrt(B / sigma1)
    bound = sp.Piecewise((sp.sqrt(mixed * sigma1), 4 * mixed <= sigma1), (mixed + sigma1 / 4, True))
    return settled(
        "signsgd_small_batches",
        "average one-norm of the gradient <= sqrt(B |sigma|_1), B of order T^-1/2",
        "Bernstein et al. 2019, arXiv:1810.05291, Theorem 1; the one-norm derived here",
        nonnegative("strong signal", sp.expand(far * 9 * (2 / sp.sqrt(3) + u) ** 2), u),
        equality("weak signal", sp.simplify(weak * g), share * g**2 / s),
        equality("the line below a weak signal", sp.expand(g**2 / s - line), (g - a * s) ** 2 / s),
        nonnegative("and below a strong one", (g + a**2 * s - 2 * a * g).subs(a, 1 / (2 * (1 + v))),
                    v, g, s),
        equality("the sum of T steps", sp.simplify(total - mixed), 0),
        equality("the best a", sp.diff(worth, a).subs(a, best), 0),
        equality("what it gives", worth.subs(a, best), sp.sqrt(B * sigma1)),
        equality("at a = 1/2", worth.subs(a, sp.Rational(1, 2)), B + sigma1 / 4),
        evaluates(signsgd_small_batches, bound),
    )  # fmt: skip


PROOFS = (prove_signsgd_small_batches,)

COVERS = {"prove_signsgd_small_batches": ("signsgd",)}
