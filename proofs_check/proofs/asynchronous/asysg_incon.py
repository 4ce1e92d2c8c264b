"""AsySG with inconsistent reads: missed parts of updates, their noises uncorrelated."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.asynchronous.asynchronous_moments import missed
from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, symbol
from proofs_check.proofs.expressions import descends
from proofs_check.verdict import Verdict
from theory.theorems.asysg_incon import asysg_incon

L, sigma2, tau = (symbol(name) for name in ("L", "sigma2", "tau_coordinate"))
FLOOR = (GAMMA * L + 2 * GAMMA**2 * L**2 * tau) * sigma2


def prove(claimed: Any = FLOOR, returns: Any = 1) -> Verdict:
    r"""avg E||grad f(x_t)||^2 <= 2 Delta/(gamma T) + ``claimed``.

    xhat - x = gamma sum over k <= tau of parts of (grad f(xhat_{t-k}) + noise), so E||xhat - x||^2
    <= 2 gamma^2 (tau sum_k h_{t-k} + tau sigma2), h = ||grad f(xhat)||^2: noises of different
    updates are uncorrelated, whichever parts were missed. Over all steps each h comes back at most
    tau times (``returns`` times that), and gamma L + 2 gamma^2 L^2 tau^2 <= 1 pays for it.
    """
    g2, h, gap, T = sp.symbols("g2 h Delta T", nonnegative=True)
    y, v = sp.symbols("y v", nonnegative=True)  # y = gamma L
    one = -GAMMA * (g2 + h) / 2 + GAMMA**2 * L / 2 * (h + sigma2)
    late = GAMMA / 2 * L**2 * 2 * GAMMA**2 * tau * sigma2
    back = returns * GAMMA / 2 * L**2 * 2 * GAMMA**2 * tau**2 * h
    mean = sp.expand(one + back + late)
    of_h = sp.factor(mean.coeff(h, 1))
    paid = -GAMMA / 2 * (1 - GAMMA * L - 2 * GAMMA**2 * L**2 * tau**2)
    total = sp.solve(sp.Eq(-gap / T, mean.subs(h, 0)), g2)[0]
    a, b = sp.symbols("a b", real=True)
    edge = (1 - y - 2 * y**2 * tau**2).subs(y, 2 / (1 + sp.sqrt(1 + 8 * tau**2)))
    return settled(
        "asysg_incon",
        f"average squared gradient <= 2 Delta/(gamma T) + {claimed}",
        "derived; setting of Lian et al. 2015, arXiv:1506.08272, Section 4",
        missed(3),
        equality("(a + b)^2 <= 2 a^2 + 2 b^2", 2 * a**2 + 2 * b**2 - (a + b) ** 2, (a - b) ** 2),
        equality("the condition pays for what comes back", of_h, sp.factor(paid)),
        equality("the largest stepsize", sp.simplify(edge), 0),
        nonnegative("a smaller one does too", (1 - y).subs(y, 1 / (1 + v)), v),
        equality("sum of T steps", total, 2 * gap / (GAMMA * T) + claimed),
        descends(asysg_incon, 2, claimed),
    )
