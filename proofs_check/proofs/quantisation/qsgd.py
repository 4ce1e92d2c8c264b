"""QSGD with one level: omega = sqrt(d) - 1, attained where all coordinates are equal."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.lagrange import sums_of_squares
from proofs_check.verdict import Verdict

d = sp.symbols("d", positive=True, integer=True)


SUP = sp.sqrt(d) - 1


def prove(claimed: Any = SUP) -> Verdict:
    """sup over x of E||C(x) - x||^2/||x||^2 is ``claimed`` for s = 1 and dimension d.

    Every |x_j| is rounded to 0 or N = ||x||, with variance (N - |x_j|)|x_j|; their sum is
    N ||x||_1 - N^2, so omega(x) = ||x||_1/||x|| - 1, and ||x||_1 <= sqrt(d) ||x||.
    """
    v = sp.symbols("v:4", nonnegative=True)
    norm, one, u = sp.symbols("N A u", positive=True)
    variance = sum((norm - x) * x for x in v)
    squares = sum(x**2 for x in v)
    flat = ((norm - u) * u * d / norm**2).subs(norm, sp.sqrt(d) * u)
    # A^2 = d N^2 - q, q >= 0 by Lagrange's identity: (sqrt(d) - A/N)(sqrt(d) + A/N) = q/N^2
    q = sp.symbols("q", nonnegative=True)
    product = ((sp.sqrt(d) - one / norm) * (sp.sqrt(d) + one / norm)).expand()
    return settled(
        "QSGD, s = 1",
        f"sup omega = {claimed}",
        "Alistarh et al. 2017, arXiv:1610.02132, Lemma 3.1; tight value derived",
        equality("variance N ||x||_1 - ||x||^2", variance, norm * sum(v) - squares),
        sums_of_squares(4),
        nonnegative("||x||_1 <= sqrt(d) ||x||", product.subs(one**2, d * norm**2 - q), q, norm),
        equality("the value at equal coordinates", flat, claimed),
    )
