r"""AsySG-con: Theorem 1, its largest stepsize, and Corollary 2.

With h the mean of the M gradients' expectations at step t, G and H the sums over T steps of
E||grad f(x_t)||^2 and E||h||^2:

- the descent lemma, with <grad f, h> polarised and ||grad f - h||^2 <= L^2 ||x_t - x_{t - tau}||^2;
- a window of tau steps moved by noise and by means: ||noise + means||^2 <= 2 ||noise||^2 + 2
  ||means||^2, noise orthogonal over steps, means by Cauchy and Schwarz, each step in tau windows at
  most;
- what H is multiplied by is not positive under the condition, and is left out.
"""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA
from proofs_check.proofs.expressions import computes
from proofs_check.verdict import Verdict
from theory.theorems.asysg_con import AsysgCon

L, M, T, sigma2, gap = sp.symbols("L M T sigma2 Delta", positive=True)
TAU = sp.Symbol("tau", nonnegative=True)
BOUND = 2 * gap / (M * T * GAMMA) + (GAMMA * L + 2 * L**2 * M * TAU * GAMMA**2) * sigma2
RATE = 4 * sp.sqrt(gap * L * sigma2 / (M * T))


def theorem_1(bound: Any) -> tuple[DerivationStep, ...]:
    """T steps of the descent lemma, summed: G / T is at most ``bound``."""
    a, h, u, v = sp.symbols("a h u v", real=True)
    G, H = sp.symbols("G H", nonnegative=True)
    drop = GAMMA * M / 2
    apart = L**2 * 2 * GAMMA**2 * (TAU * M * sigma2 * T + TAU**2 * M**2 * H)
    length = GAMMA**2 * L / 2 * (M * sigma2 * T + M**2 * H)
    left = gap - drop * (G + H) + drop * apart + length  # at least 0, as f >= f*
    kept = sp.expand(left).coeff(H)
    condition = 1 - GAMMA * L * M - 2 * (GAMMA * L * M * TAU) ** 2
    most = sp.solve(left.subs(H, 0), G)[0] / T
    return (
        equality("polarised", M * a * h, M / 2 * (a**2 + h**2 - (a - h) ** 2)),
        equality("noise and means apart", 2 * u**2 + 2 * v**2 - (u + v) ** 2, (u - v) ** 2),
        equality("H is left out under the condition", kept, -drop * condition),
        equality("sum of T steps", sp.expand(most), sp.expand(bound)),
        computes(AsysgCon(), bound.subs(M, 1)),
        computes(AsysgCon(3), bound.subs(M, 3)),
    )


def prove(claimed: Any = RATE, bound: Any = BOUND) -> Verdict:
    r"""gamma = sqrt(Delta/(M L T sigma2)) gives at most ``claimed``.

    For T = 4 M L Delta (tau + 1)^2 (1 + v)^2/sigma2, v >= 0: the condition of Theorem 1 holds, and
    2 Delta/(M T gamma) + (gamma L + 2 L^2 M tau gamma^2) sigma2 is below the claim, which the
    first two terms make up to 3/4.
    """
    tau, v, gamma = sp.symbols("tau v gamma", nonnegative=True)
    long = {T: 4 * M * L * gap * (tau + 1) ** 2 * (1 + v) ** 2 / sigma2}
    step = sp.sqrt(gap / (M * L * T * sigma2))
    lead = 2 * gap / (M * T * step) + step * L * sigma2
    delay = 2 * L**2 * M * tau * step**2 * sigma2
    condition = (1 - gamma * L * M - 2 * (gamma * L * M * tau) ** 2).subs(gamma, step).subs(long)
    share = sp.simplify(((claimed - lead - delay) / RATE).subs(long))
    y = 2 / (1 + sp.sqrt(1 + 8 * tau**2))
    return settled(
        "asysg_con",
        f"at most {claimed}",
        "Lian et al. 2015, arXiv:1506.08272, Theorem 1, Corollary 2",
        *theorem_1(bound),
        equality("two terms at the stepsize", sp.simplify(lead / RATE), sp.Rational(3, 4)),
        nonnegative("the condition holds", sp.simplify(condition), tau, v),
        nonnegative("the third term fits", share, tau, v),
        equality("the largest stepsize", sp.expand(y + 2 * y**2 * tau**2).simplify(), 1),
    )
