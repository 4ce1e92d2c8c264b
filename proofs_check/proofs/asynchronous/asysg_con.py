r"""AsySG-con: Corollary 2 and the largest stepsize that Theorem 1 allows."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.verdict import Verdict

L, M, T, sigma2, gap = sp.symbols("L M T sigma2 Delta", positive=True)
RATE = 4 * sp.sqrt(gap * L * sigma2 / (M * T))


def prove(claimed: Any = RATE) -> Verdict:
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
        equality("two terms at the stepsize", sp.simplify(lead / RATE), sp.Rational(3, 4)),
        nonnegative("the condition holds", sp.simplify(condition), tau, v),
        nonnegative("the third term fits", share, tau, v),
        equality("the largest stepsize", sp.expand(y + 2 * y**2 * tau**2).simplify(), 1),
    )
