"""RI-SGD: the spread of a period, by variance and heterogeneity alone."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, symbol
from proofs_check.proofs.expressions import descends
from proofs_check.proofs.local_updates.local_sgd_pl import deviations, mean_step
from proofs_check.verdict import Verdict
from theory.theorems.ri_sgd import ri_sgd

L, sigma2, zeta2, n, H = (symbol(name) for name in ("L_max", "sigma2", "zeta2", "n", "H"))
SPREAD = 4 * GAMMA**2 * (H - 1) * (sigma2 + 2 * (H - 1) * zeta2)


def prove(spread: Any = SPREAD, own: Any = 2) -> Verdict:
    r"""The mean spread is at most ``spread`` for gamma <= 1/(sqrt(8) L (H - 1)).

    A worker's gradient differs from grad f(xbar) by L times its distance from xbar, and by
    grad f_i(xbar) - grad f(xbar): ``own`` (L^2 V + zeta2) in the mean square. V_t <= 2 gamma^2 (k
    sigma2 + k sum_s own (L^2 V_s + zeta2)) over the k <= H - 1 steps s since the meeting.
    """
    V, v, k = sp.symbols("V v k", nonnegative=True)
    a, b = sp.symbols("a b", real=True)
    alone = k  # H - 1
    step = 1 / (sp.sqrt(8) * L * alone * (1 + v))
    noise, shards = 2 * GAMMA**2 * alone * sigma2, 2 * GAMMA**2 * alone**2 * own * zeta2
    itself = 2 * GAMMA**2 * alone**2 * own * L**2 * V  # each V_s counts k times at most
    claimed = spread.subs(H, 1 + k)
    room = (claimed - (noise + shards + itself).subs(V, claimed)).subs(GAMMA, step)
    floor = GAMMA * L * sigma2 / n + L**2 * SPREAD
    return settled(
        "ri_sgd",
        f"the mean spread is at most {spread}, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Haddadpour et al. 2019, ICML",
        equality("(a + b)^2 <= 2 a^2 + 2 b^2", 2 * a**2 + 2 * b**2 - (a + b) ** 2, (a - b) ** 2),
        deviations(3),
        nonnegative("the spread pays for itself", sp.cancel(room), v, k, L, sigma2, zeta2),
        nonnegative("and V is less than half in it", (1 - itself / V * 2).subs(GAMMA, step), v, k),
        *mean_step(spread, floor),
        descends(ri_sgd, 2, floor),
    )
