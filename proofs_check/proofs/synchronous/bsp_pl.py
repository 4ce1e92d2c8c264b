"""BSP-SGD under the inequality of Polyak and Lojasiewicz."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, symbol
from proofs_check.proofs.polyak_lojasiewicz import contracts
from proofs_check.verdict import Verdict
from theory.theorems.bsp_pl import bsp_pl

L, sigma2, n = (symbol(name) for name in ("L", "sigma2", "n"))
FLOOR = GAMMA * L * sigma2 / n


def prove(claimed: Any = FLOOR) -> Verdict:
    r"""E f(x_T) - f* <= (1 - gamma mu)^T Delta + ``claimed``/(2 mu) for gamma <= 1/L.

    The descent lemma along -gamma g, g the mean of n gradients: f falls by gamma g2 - gamma^2 L/2
    (g2 + sigma2/n), at least gamma/2 g2 - gamma/2 times the floor.
    """
    g2, v = sp.symbols("g2 v", nonnegative=True)
    descent = -GAMMA * g2 + GAMMA**2 * L / 2 * (g2 + sigma2 / n)
    kept = -GAMMA / 2 * g2 + GAMMA / 2 * claimed
    slack = sp.simplify((kept - descent).subs(GAMMA, 1 / (L * (1 + v))))
    return settled(
        "bsp_pl",
        f"E f(x_T) - f* <= (1 - gamma mu)^T Delta + {claimed}/(2 mu)",
        "Karimi, Nutini, Schmidt 2016, arXiv:1608.04636, Theorem 4",
        nonnegative("one step descends for gamma <= 1/L", slack, v, g2, L, sigma2, n),
        *contracts(bsp_pl, claimed),
    )
