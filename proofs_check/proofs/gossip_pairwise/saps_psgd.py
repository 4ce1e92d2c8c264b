"""Masked averages of matched pairs: what a round leaves of the squared spread."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, settled
from proofs_check.proofs.evaluated import symbol
from proofs_check.proofs.expressions import near
from proofs_check.verdict import Verdict
from theory.theorems.saps_psgd import saps_psgd

kept = symbol("kept")
SPREAD = 1 / (1 - sp.sqrt(kept))


def prove(spread: Any = SPREAD) -> Verdict:
    """S <- sqrt(kept) S + 1 ends at ``spread``.

    A coordinate is averaged with probability 1/c, where lam2 of its square is left, so that in
    expectation 1 - (1 - lam2)/c is.
    """
    c, lam2 = sp.symbols("c lambda_2", positive=True)
    masked = lam2 / c + (1 - 1 / c)
    return settled(
        "saps_psgd",
        f"spreads end at {spread}, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Tang, Shi, Chu 2020, arXiv:2002.09692",
        equality("a masked average", sp.simplify(masked), sp.simplify(1 - (1 - lam2) / c)),
        equality("the spread ends at", sp.simplify(sp.sqrt(kept) * spread + 1 - spread), 0),
        near(saps_psgd, spread),
    )
