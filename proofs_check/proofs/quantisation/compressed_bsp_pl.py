"""Compressed BSP-SGD under the inequality of Polyak and Lojasiewicz."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, symbol
from proofs_check.proofs.polyak_lojasiewicz import contracts
from proofs_check.verdict import Verdict
from theory.theorems.compressed_bsp_pl import compressed_bsp_pl

L, sigma2, zeta2, omega, n = (symbol(s) for s in ("L", "sigma2", "zeta2", "omega", "n"))
NOISE = ((1 + omega) * sigma2 + omega * zeta2) / n


def prove(claimed: Any = NOISE) -> Verdict:
    r"""E f(x_T) - f* <= (1 - gamma mu)^T Delta + gamma L ``claimed``/(2 mu).

    The second moment of the mean message is at most (1 + omega/n) g2 + ``claimed``: g2 + sigma2/n
    of the gradients, omega/n times (1/n) sum E||g_i||^2 <= g2 + zeta2 + sigma2 of the operators.
    """
    g2, v = sp.symbols("g2 v", nonnegative=True)
    moment = g2 + sigma2 / n + omega / n * (g2 + zeta2 + sigma2)
    descent = -GAMMA * g2 + GAMMA**2 * L / 2 * moment
    kept = -GAMMA / 2 * g2 + GAMMA**2 * L / 2 * claimed
    slack = sp.simplify((kept - descent).subs(GAMMA, 1 / (L * (1 + omega / n) * (1 + v))))
    return settled(
        "compressed_bsp_pl",
        f"E f(x_T) - f* <= (1 - gamma mu)^T Delta + gamma L {claimed}/(2 mu)",
        "derived; Karimi, Nutini, Schmidt 2016, arXiv:1608.04636, Theorem 4",
        nonnegative("one step descends", slack, v, g2, L, sigma2, zeta2, omega, n),
        *contracts(compressed_bsp_pl, GAMMA * L * claimed),
    )
