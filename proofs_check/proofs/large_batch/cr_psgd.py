"""CR-PSGD: a descent step whose noise shrinks as batches grow, and the sum of two series."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
from proofs_check.verdict import Verdict
from theory.theorems.cr_psgd import cr_psgd

L, sigma2, n, mu, gap, rho = (
    symbol(name) for name in ("L", "sigma2", "n", "pl", "initial_gap", "growth")
)
NOISE = GAMMA**2 * L * sigma2 / n  # of the first step
FLOORED = sp.Rational(1, 2)


def prove(noise: Any = NOISE, floored: Any = FLOORED) -> Verdict:
    r"""e_{t+1} <= q e_t + ``noise`` rho^-t, q = 1 - gamma mu, and the sum of T such steps.

    A power x = 1 + u >= 1 floored is at least 1 and more than u, so at least ``floored`` x: the
    variance of a worker's step is at most sigma2/(floored rho^t). gamma = 1/(L (1 + v)).
    """
    g2, e, more, v, u = sp.symbols("g2 e more v u", nonnegative=True)
    q, power, decayed = sp.symbols("q P D", positive=True)  # P = rho^-t, D = q^t
    variance = sigma2 / (floored / power)
    change = -GAMMA * g2 + GAMMA**2 * L / 2 * (g2 + variance / n)
    kept = -GAMMA / 2 * g2 + noise * power
    slack = sp.simplify((kept - change).subs(GAMMA, 1 / (L * (1 + v))))
    below = sp.cancel((1 - floored * (1 + u)).subs(u, 1 / (1 + v)))  # u <= 1
    above = sp.expand((u - floored * (1 + u)).subs(u, 1 + v))
    series = (power - decayed) / (1 / rho - q)
    after = (power / rho - decayed * q) / (1 / rho - q)
    left = (1 - GAMMA * mu) ** TIME
    both = {power: rho**-TIME, decayed: left, q: 1 - GAMMA * mu}
    return settled(
        "cr_psgd",
        f"f - f* <= q^T Delta + {noise} (rho^-T - q^T)/(1/rho - q)",
        "derived; setting of Yu, Jin 2019, arXiv:1905.04346",
        nonnegative("floored at most 2", below, v),
        nonnegative("floored beyond 2", above, v),
        nonnegative("one step descends", slack, v, g2, L, sigma2, n, power),
        nonnegative(
            "f - f* shrinks by q", sp.expand(GAMMA / 2 * (2 * mu * e + more) - GAMMA * mu * e), more
        ),
        equality("both series, a step", sp.simplify(after - q * series - power), 0),
        evaluates(cr_psgd, left * gap + noise * series.subs(both)),
    )
