r"""STC: error ||x||^2 - ||top_k||_1^2/k, and delta = min(1/k, k/d), attained."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.verdict import Verdict

COVERS = ("stc",)

d, k = sp.symbols("d k", positive=True)
ONE_HOT, FLAT = 1 / k, k / d


def prove(one_hot: Any = ONE_HOT, flat: Any = FLAT) -> Verdict:
    r"""delta = min(``one_hot``, ``flat``) = inf S^2/(k ||x||^2), S the sum of the k largest |x_j|.

    With S = 1 the sorted rows are a polytope whose vertices are flat on their first j coordinates;
    the square norm is convex, so largest at one of them: 1/j for j <= k, j/k^2 for j >= k.
    """
    v = sp.symbols("v:4", positive=True)
    mean = (v[0] + v[1]) / 2
    error = (v[0] - mean) ** 2 + (v[1] - mean) ** 2 + v[2] ** 2 + v[3] ** 2
    stated = sum(t**2 for t in v) - (v[0] + v[1]) ** 2 / 2
    j, e, u = sp.symbols("j e u", nonnegative=True)
    short = (1 - 1 / j).subs(j, 1 + e)  # largest square norm 1, at j = 1
    long = (d / k**2 - j / k**2).subs(d, j + u)
    floor = (1 / k - 1 / d).subs(d, k + e)
    return settled(
        "sparse ternary compression",
        f"delta = min({one_hot}, {flat})",
        "Sattler et al. 2019, arXiv:1903.02891; constant derived",
        equality("the error at d = 4, k = 2", error, stated),
        nonnegative("short vertices: the one-hot row", short, e),
        nonnegative("long vertices: the flat row", long, j, u, k),
        equality("the value at a one-hot row", 1**2 / k, one_hot),
        equality("the value at a flat row", k**2 / (k * d), flat),
        nonnegative("1/k is at least 1/d", sp.simplify(floor), e, k),
        nonnegative("k/d is at least 1/d", ((k - 1) / d).subs(k, 1 + u), u, d),
    )
