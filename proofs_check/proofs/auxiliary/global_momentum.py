"""Global momentum compression: the iterate behind the model's own last move."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, settled
from proofs_check.proofs.evaluated import symbol
from proofs_check.proofs.expressions import near
from proofs_check.verdict import Verdict
from theory.theorems.global_momentum import global_momentum

COVERS = ("gmc",)
m, delta = symbol("momentum"), symbol("delta")
r = sp.sqrt(1 - delta)
LONGEST = 1 / (1 - r - m * (1 + r))


def prove(longest: Any = LONGEST) -> Verdict:
    """Steps of gamma = 1: p = g + m s + e, s the mean sent before, is compressed to C.

    z = (x - e - m x_before)/(1 - m) moves by g/(1 - m); p <- 1 + m (1 + r) p + r p ends at
    ``longest``, and x - z = (e + m s)/(1 - m).
    """
    x, e, g, s, sent = sp.symbols("x e g s C", real=True)
    before = x + s
    z = (x - e - m * before) / (1 - m)
    after = ((x - sent) - (g + m * s + e - sent) - m * x) / (1 - m)
    held, moved = r * longest, (1 + r) * longest
    return settled(
        "global_momentum",
        f"what is compressed stays below {longest}, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Zhao et al. 2019, arXiv:1905.12948",
        equality("the iterate takes plain steps", sp.simplify(after - z), -g / (1 - m)),
        equality("the model beside it", sp.simplify(x - z - (e + m * s) / (1 - m)), 0),
        equality("messages end at", sp.simplify(1 + m * moved + held - longest), 0),
        near(global_momentum, (held + m * moved) / (1 - m), gain=1 / (1 - m)),
    )
