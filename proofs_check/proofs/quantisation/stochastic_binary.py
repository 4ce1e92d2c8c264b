"""Stochastic binary quantisation: omega = (d - 2)/2, attained at (1, -1, 0, ..., 0)."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.verdict import Verdict

d = sp.symbols("d", positive=True)
SUP = (d - 2) / 2


def prove(claimed: Any = SUP) -> Verdict:
    r"""sup over x of E||C(x) - x||^2/||x||^2 is ``claimed``, d >= 2.

    Largest a, smallest -b (any signs), the rest z_j: variance sum_j (a - z_j)(z_j + b). The bound
    omega ||x||^2 - variance is a sum over the d - 2 others of a share of a^2 + b^2 and of z_j.
    """
    a, b, z = sp.symbols("a b z", real=True)
    share = (a**2 + b**2) / (d - 2)
    slack = SUP * (share + z**2) - (a - z) * (z + b)
    squares = ((a - b - z) ** 2 + (d - 1) * z**2) / 2
    at = sum((1 - x) * (x + 1) for x in (1, -1)) + (d - 2) * 1
    e = sp.symbols("e", nonnegative=True)
    vector = [sp.Integer(0), sp.Integer(1), sp.Integer(4)]
    variance = sum((4 - x) * x for x in vector)
    return settled(
        "stochastic binary",
        f"sup omega = {claimed}",
        "Suresh et al. 2017, arXiv:1611.00429, Lemma 2; tight constant derived",
        equality("the bound by squares", slack, squares),
        nonnegative("d >= 1 keeps them positive", (d - 1).subs(d, 1 + e), e),
        equality("the value at (1, -1, 0, ..., 0)", at / 2, claimed),
        equality("the variance at (0, 1, 4)", variance, 3),
        nonnegative("at most Suresh's d/2", d / 2 - claimed, d),
        theorem="stochastic_binary",
    )
