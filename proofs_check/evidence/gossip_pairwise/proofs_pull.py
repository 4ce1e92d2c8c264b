"""Derivations: gossiping SGD that pulls."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
from proofs_check.verdict import Verdict
from theory.theorems.gossiping_sgd_pull import gossiping_sgd_pull

L, mu, sigma2, R2, K = (symbol(name) for name in ("L", "mu", "sigma2", "R2", "turn"))
KEPT = 1 - 2 * GAMMA * mu * (1 - GAMMA * mu)


def prove_gossiping_sgd_pull(kept: Any = KEPT) -> Verdict:
    """A turn leaves ``kept`` of the largest E||x_i - x*||^2 above the floor.

    The interpolation inequality <g, d> >= (mu L d2 + g2)/(mu + L), d = x - x*, and g2 >= mu^2 d2
    leave (1 - s mu)^2 for s = 2 gamma = 2/((L + mu)(1 + v)). T = K k + r ticks, r < K, hold k turns
    of all.
    """
    a, b, p, q = sp.symbols("a b p q", real=True)
    d2, more, v, w, k, r, rest = sp.symbols("d2 e v w k r rest", nonnegative=True)
    s = sp.Symbol("s", positive=True)
    g2 = mu**2 * d2 + more
    after = d2 - 2 * s * (mu * L * d2 + g2) / (mu + L) + s**2 * g2
    room = ((1 - s * mu) ** 2 * d2 - after).subs(s, 2 / ((L + mu) * (1 + v))).subs(L, mu + w)
    own = sp.Rational(1, 2) * (1 - 2 * GAMMA * mu) ** 2 + sp.Rational(1, 2)
    alone = sp.expand(KEPT - (1 - GAMMA * mu) ** 2)
    floor = GAMMA * sigma2 / (mu * (1 - GAMMA * mu))
    noise = 2 * GAMMA**2 * sigma2  # half of (2 gamma)^2 sigma2
    turns = (k - (K * k + r - K + 1) / K).subs(r, K - 1 - rest)
    bound = kept ** ((TIME - K + 1) / K) * R2 + floor
    return settled(
        "gossiping_sgd_pull",
        f"a turn of all workers leaves {kept} of the squared distance above the floor",
        "derived; setting of Jin et al. 2016, arXiv:1611.04581",
        equality("the two parts", (a + b) / 2 - GAMMA * p, ((a - 2 * GAMMA * p) + b) / 2),
        equality("convexity", (p**2 + q**2) / 2 - ((p + q) / 2) ** 2, ((p - q) / 2) ** 2),
        nonnegative("a step of 2 gamma nears the minimum", sp.cancel(room), d2, more, v, w, mu),
        equality("the half that moves and the half heard", sp.expand(own), sp.expand(kept)),
        equality("a step alone leaves less", alone, GAMMA**2 * mu**2),
        equality("the floor stays", sp.simplify(kept * floor + noise - floor), 0),
        nonnegative("turns of all workers", sp.simplify(turns), rest, K),
        evaluates(gossiping_sgd_pull, bound),
    )


PROOFS = (prove_gossiping_sgd_pull,)
