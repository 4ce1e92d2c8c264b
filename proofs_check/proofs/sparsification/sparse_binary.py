r"""SBC: error ||x||^2 - k mu^2, and delta = k/((2k - 1)^2 + d - 1) for 2k <= d, attained."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.verdict import Verdict

COVERS = ("sbc",)

d, k = sp.symbols("d k", positive=True)
QUALITY = k / ((2 * k - 1) ** 2 + d - 1)


def prove(claimed: Any = QUALITY) -> Verdict:
    r"""delta = ``claimed`` = inf k mu^2/||x||^2, mu the larger of the means of the two ends.

    Rows in order with both means at most 1 are a polytope; a vertex has at most two values. j of
    u above d - j of -1 with mean of the k largest 1 has u = (2k - j)/j (j <= k), u = 1 for j >= k.
    """
    v = sp.symbols("v:5", real=True)
    mean = (v[0] + v[1]) / 2
    error = sum((t - mean) ** 2 for t in v[:2]) + sum(t**2 for t in v[2:])
    j, e, u = sp.symbols("j e u", nonnegative=True)
    high = (2 * k - j) / j
    norm = j * high**2 + d - j
    most = norm.subs(j, 1)
    slack = sp.simplify((most - norm).subs(j, 1 + e))
    flat = sp.expand((most - d).subs(k, 1 + u))
    reference = sp.expand((k**2 * d - (2 * k - 1) ** 2 - d + 1).subs(d, 2 * k + e).subs(k, 1 + u))
    return settled(
        "sparse binary compression",
        f"delta = {claimed} for 2k <= d",
        "Sattler et al. 2018, arXiv:1805.08768; constant derived",
        equality("the error at d = 5, k = 2", error, sum(t**2 for t in v) - 2 * mean**2),
        equality("the k largest have mean 1", (j * high - (k - j)) / k, 1),
        nonnegative("j = 1 has the largest norm", slack, e, k),
        nonnegative("the flat row has a smaller one", flat, u),
        equality("the value at (2k - 1, -1, ..., -1)", k / most, claimed),
        nonnegative("it is at least 1/(k d)", reference, e, u),
    )
