"""Local steps, then their sum through an unbiased operator: a jump of the mean model in H steps."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.asynchronous.asynchronous_moments import missed
from proofs_check.proofs.derivation import equality, settled
from proofs_check.proofs.evaluated import symbol
from proofs_check.proofs.expressions import near
from proofs_check.verdict import Verdict
from theory.theorems.pqasgd import pqasgd

H, omega, n, G2 = (symbol(name) for name in ("H", "omega", "n", "G2"))
EXCESS = omega * H


def prove(excess: Any = EXCESS) -> Verdict:
    """A jump, one in H steps, has a variance of omega H^2 gamma^2 G^2/n at most.

    In the mean over steps that is ``excess`` gamma^2 G^2/n; z is the mean model.
    """
    k = sp.Symbol("k", integer=True, positive=True)
    jumps = sp.summation(omega * H**2 * G2 / n, (k, 1, symbol("rounds"))) / (H * symbol("rounds"))
    return settled(
        "pqasgd",
        f"excess {excess}, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Jiang, Agrawal 2018",
        missed(3),
        equality("the mean of all jumps", jumps, excess * G2 / n),
        near(pqasgd, H - 1, excess=excess),
    )
