"""LAGS: layers of a contraction, and the residual that they leave."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import symbol
from proofs_check.proofs.expressions import near
from proofs_check.verdict import Verdict
from theory.theorems.layer_wise_adaptive import layer_wise_adaptive

r = sp.sqrt(1 - symbol("delta"))
RESIDUAL = r / (1 - r)


def prove(residual: Any = RESIDUAL, worst: Any = 1) -> Verdict:
    """Model and gradients within ``residual`` of z = x - mean residual.

    Errors of layers add up in squares; each is at most 1 - delta_l of its layer, and 1 - delta_l is
    at most 1 - ``worst`` delta for the least delta. Two layers of squares a, b, the second better
    by s.
    """
    a, b, s, u = sp.symbols("a b s u", nonnegative=True)
    least = 1 / (1 + u)
    errors = (1 - least) * a + (1 - least - s) * b
    room = (1 - worst * least) * (a + b) - errors
    return settled(
        "layer_wise_adaptive",
        f"reach {residual} with delta = min k_l/d_l, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Shi et al. 2019, arXiv:1911.08727",
        nonnegative("layers are a contraction of the least delta", room, a, b, s, u),
        equality("what a contraction leaves", sp.simplify(r * (1 + residual)), residual),
        near(layer_wise_adaptive, residual),
    )
