"""Decaying feedback of an unbiased operator: what the memory holds, and what noise is left."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.auxiliary.reaches import decaying
from proofs_check.proofs.derivation import equality, settled
from proofs_check.proofs.evaluated import symbol
from proofs_check.proofs.expressions import near
from proofs_check.verdict import Verdict
from theory.theorems.ecq_sgd import ecq_sgd

alpha, beta, omega = (symbol(name) for name in ("echoed", "remembered", "omega"))
SHARE = alpha / (alpha + 1 - beta)


def prove(share: Any = SHARE) -> Verdict:
    """z = x - ``share`` gamma h keeps 1 - ``share`` of the noise, whose square is omega (1 + alpha
    h)^2; h <- k h + sqrt(omega) by Minkowski, with k^2 = (beta - alpha)^2 + omega alpha^2."""
    kept = sp.sqrt((beta - alpha) ** 2 + omega * alpha**2)
    h = sp.sqrt(omega) / (1 - kept)
    excess = (1 - share) ** 2 * omega * (1 + alpha * h) ** 2
    return settled(
        "ecq_sgd",
        f"z = x - {share} gamma h, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Wu et al. 2018, arXiv:1806.08054",
        *decaying(),
        equality("the memory ends at", sp.simplify(kept * h + sp.sqrt(omega) - h), 0),
        near(ecq_sgd, share * h, excess=excess),
    )
