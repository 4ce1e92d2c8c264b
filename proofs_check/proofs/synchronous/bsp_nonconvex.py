r"""SGD on smooth functions: the descent step, its sum, and the best constant stepsize."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled, truth
from proofs_check.proofs.expressions import computes
from proofs_check.verdict import Verdict
from theory.theorems.bsp_nonconvex import bsp_nonconvex

L, gap, sigma2, n, T = sp.symbols("L Delta sigma2 n T", positive=True)
BEST = 2 * sp.sqrt(2 * L * gap * sigma2 / (n * T))


def prove(claimed: Any = BEST) -> Verdict:
    r"""min over gamma of 2 Delta/(gamma T) + gamma L sigma2/n is ``claimed``.

    The descent step: f(x+) - f(x) <= -gamma g2 + gamma^2 L/2 (g2 + sigma2/n), g2 = ||grad f||^2,
    and for gamma = 1/(L (1 + v)), v >= 0, this is at most -gamma/2 g2 + gamma^2 L sigma2/(2n).
    """
    gamma = sp.symbols("gamma", positive=True)
    v, g2 = sp.symbols("v g2", nonnegative=True)
    descent = -gamma * g2 + gamma**2 * L / 2 * (g2 + sigma2 / n)
    kept = -gamma / 2 * g2 + gamma**2 * L * sigma2 / (2 * n)
    slack = (kept - descent).subs(gamma, 1 / (L * (1 + v)))
    # T such steps telescope: (gamma/2) sum g2 <= Delta + T gamma^2 L sigma2/(2n)
    bound = 2 / (gamma * T) * (gap + T * gamma**2 * L * sigma2 / (2 * n))
    (best,) = sp.solve(sp.diff(bound, gamma), gamma)
    return settled(
        "bsp_nonconvex",
        f"the best constant stepsize gives {claimed}",
        "Bottou, Curtis, Nocedal 2018, arXiv:1606.04838, Theorem 4.8",
        nonnegative("one step descends for gamma <= 1/L", slack, v, g2, L, sigma2, n),
        equality("the stationary stepsize", best, sp.sqrt(2 * n * gap / (L * sigma2 * T))),
        truth("it is a minimum", sp.simplify(sp.diff(bound, gamma, 2)).is_positive),
        equality("the bound at the best stepsize", bound.subs(gamma, best), claimed),
        computes(bsp_nonconvex, bound),
    )
