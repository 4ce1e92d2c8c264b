"""Top-k: the rest holds at most its share of the squares, and leaves so much."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import symbol
from proofs_check.proofs.expressions import near
from proofs_check.verdict import Verdict
from theory.theorems.top_k_analytic import top_k_analytic

r = sp.sqrt(1 - symbol("delta"))
RESIDUAL = r / (1 - r)


def prove(residual: Any = RESIDUAL, share: Any = 1) -> Verdict:
    """Model and gradients within ``residual`` of z = x - mean residual, delta = k/d.

    The k largest squares are each at least as large as all others: m + s_i against m - r_j, m
    between them. So the d - k others hold at most (1 - ``share`` k/d) of the sum.
    """
    k, rest, m, more, less = sp.symbols("k rest m more less", nonnegative=True)
    kept, lost = k * m + more, rest * m - less  # sums of the two parts
    room = (1 - share * k / (k + rest)) * (kept + lost) - lost
    return settled(
        "top_k_analytic",
        f"reach {residual} with delta = k/d, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Alistarh et al. 2018, arXiv:1809.10505",
        nonnegative("the rest holds at most 1 - k/d", room, k, rest, m, more, less),
        equality("what a contraction leaves", sp.simplify(r * (1 + residual)), residual),
        near(top_k_analytic, residual),
    )
