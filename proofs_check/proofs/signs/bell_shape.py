r"""Top-k of rows whose sorted squares are convex: error at most (1 - k/d)^2."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.verdict import Verdict

COVERS = ("gaussian-k", "top-k")

d, k = sp.symbols("d k", positive=True)
RATIO = (1 - k / d) ** 2


def prove(claimed: Any = RATIO) -> Verdict:
    r"""sum_{i>k} y_i <= ``claimed`` sum y_i for y_1 >= ... >= y_d = 0 convex.

    y lies below the line through (k, y_k) and (d, 0) between them and above it before k, so the
    share of the tail is at most the line's, (1 - k/d)(1 - k/(d - 1)). Where only y_{d+1} = 0 lies
    on the convex curve it is (1 - k/d)(1 - k/(d + 1)), which is more than ``claimed``.
    """
    i, e, u = sp.symbols("i e u", nonnegative=True)
    line = d - i
    tail, whole = sp.summation(line, (i, k + 1, d)), sp.summation(line, (i, 1, d))
    share = sp.simplify(tail / whole)
    stated = (1 - k / d) * (1 - k / (d - 1))
    slack = sp.simplify((claimed - stated).subs(d, k + 1 + u).subs(k, 1 + e))
    longer = sp.simplify(sp.summation(line + 1, (i, k + 1, d)) / sp.summation(line + 1, (i, 1, d)))
    above = sp.simplify((longer - RATIO).subs(d, k + u))
    area = sp.integrate(d - i, (i, k, d)) / sp.integrate(d - i, (i, 0, d))
    return settled(
        "top-k of a bell shape",
        f"error <= {claimed}",
        "Shi et al. 2019, arXiv:1911.08772, Theorem 1; discrete condition derived",
        equality("the line's tail", share, stated),
        nonnegative("it lies below the claim", slack, e, u),
        equality("the continuous curve attains it", sp.simplify(area), claimed),
        nonnegative("a curve that ends at d + 1 may exceed it", above, k, u),
    )
