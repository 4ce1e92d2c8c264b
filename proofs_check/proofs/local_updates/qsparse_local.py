"""Local steps, compressed increments, error memory: what a contraction leaves of H steps."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.auxiliary.reaches import blocks
from proofs_check.proofs.derivation import equality, settled
from proofs_check.proofs.evaluated import symbol
from proofs_check.proofs.expressions import near
from proofs_check.verdict import Verdict
from theory.theorems.qsparse_local import qsparse_local

H, delta = symbol("H"), symbol("delta")
r = sp.sqrt(1 - delta)
RESIDUAL = H * r / (1 - r)


def prove(residual: Any = RESIDUAL) -> Verdict:
    """Gradients and models within H - 1 + ``residual`` of z = mean model - mean residual.

    A worker is at most H - 1 local steps from where all began; the residual e <- r (H + e), in
    gamma G, ends at ``residual``.
    """
    return settled(
        "qsparse_local",
        f"reach H - 1 + {residual}, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Basu et al. 2019, arXiv:1906.02367",
        *blocks(),
        equality("what is left of H steps and the rest", sp.simplify(r * (H + residual)), residual),
        near(qsparse_local, H - 1 + residual),
    )
