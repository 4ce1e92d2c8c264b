r"""The probabilities that minimise the variance for a given budget: min(1, a_j/sqrt(theta))."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.verdict import Verdict

COVERS = ("atomo", "wangni")

a, theta, p, mu, x, s = sp.symbols("a theta p mu x s", positive=True)
BEST = a / sp.sqrt(theta)


def prove(claimed: Any = BEST) -> Verdict:
    r"""min sum (1/p_j - 1) a_j^2 with sum p_j <= B, p_j <= 1 is at p_j = min(1, ``claimed``).

    Keep x with probability p as mu + (x - mu)/p, else mu: unbiased, variance (1/p - 1)(x - mu)^2,
    a = |x - mu|. Lagrange: a^2/p + theta p is least at ``claimed`` if that is at most 1, and at 1
    if a^2 >= theta; theta is set by the budget, so no other p within it does better.
    """
    kept = mu + (x - mu) / p
    mean = p * kept + (1 - p) * mu
    variance = p * (kept - x) ** 2 + (1 - p) * (mu - x) ** 2
    cost = a**2 / p + theta * p
    e, u = sp.symbols("e u", nonnegative=True)
    inner = cost - cost.subs(p, claimed)
    capped = (cost - cost.subs(p, 1)).subs({p: 1 / (1 + e), a: sp.sqrt(theta) * (1 + u)})
    v = sp.symbols("v:4", positive=True)
    one, two = sum(v), sp.sqrt(sum(t**2 for t in v))
    spent = [s * t / one for t in v]
    second = sum(t**2 / q for t, q in zip(v, spent, strict=True))
    qsgd, terngrad = second.subs(s, one / two), second.subs(s, one / v[0])
    return settled(
        "water-filling",
        f"p = min(1, {claimed})",
        "Konecny, Richtarik 2016, arXiv:1611.07555; Wang et al. 2018, arXiv:1806.04090; "
        "Wangni et al. 2018, arXiv:1710.09854",
        equality("the mean is x", mean, x),
        equality("the variance", variance, (1 / p - 1) * (x - mu) ** 2),
        equality("below the cap by a square", inner, (a - sp.sqrt(theta) * p) ** 2 / p),
        nonnegative("at the cap", sp.simplify(capped), e, u, theta),
        equality("second moment ||l||_1^2/s", second, one**2 / s),
        equality("s = ||l||_1/||l||_2 is QSGD with one level", qsgd, one * two),
        equality("s = ||l||_1/||l||_inf is TernGrad (first largest)", terngrad, one * v[0]),
    )
