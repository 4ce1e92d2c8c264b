r"""SGD with unbiased compression: the second moment of the mean message, and the descent step."""

from __future__ import annotations

from itertools import product
from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.expressions import descends
from proofs_check.verdict import Verdict
from theory.theorems.compressed_bsp_nonconvex import compressed_bsp_nonconvex

L, omega, n, sigma2, zeta2, gap, T, gamma = sp.symbols(
    "L omega n sigma2 zeta2 Delta T gamma", positive=True
)
NOISE = ((1 + omega) * sigma2 + omega * zeta2) / n


def second_moment(workers: int) -> DerivationStep:
    """E||mean C(g_i)||^2 by enumeration of C(g) = g (1 +- sqrt(omega)), g_i = m_i +- s, all signs
    independent."""
    means = sp.symbols(f"m:{workers}", real=True)
    s = sp.symbols("s", real=True)
    total, cases = sp.Integer(0), 0
    for signs in product((-1, 1), repeat=2 * workers):
        noisy = [m + e * s for m, e in zip(means, signs[:workers], strict=True)]
        sent = [g * (1 + e * sp.sqrt(omega)) for g, e in zip(noisy, signs[workers:], strict=True)]
        total, cases = total + (sum(sent) / workers) ** 2, cases + 1
    g2 = (sum(means) / workers) ** 2
    spread = sum(m**2 for m in means) / workers - g2
    right = (1 + omega / workers) * g2 + ((1 + omega) * s**2 + omega * spread) / workers
    return equality(f"second moment of the mean of {workers} messages", total / cases, right)


def prove(claimed: Any = NOISE) -> Verdict:
    r"""The bound is 2 Delta/(gamma T) + gamma L ``claimed`` for gamma <= 1/(L (1 + omega/n))."""
    v, g2 = sp.symbols("v g2", nonnegative=True)
    moment = g2 + sigma2 / n + omega / n * (sigma2 + zeta2 + g2)
    descent = -gamma * g2 + gamma**2 * L / 2 * moment
    kept = -gamma / 2 * g2 + gamma**2 * L / 2 * NOISE
    slack = sp.simplify((kept - descent).subs(gamma, 1 / (L * (1 + omega / n) * (1 + v))))
    bound = 2 / (gamma * T) * (gap + T * gamma**2 * L / 2 * (moment - (1 + omega / n) * g2))
    return settled(
        "compressed_bsp_nonconvex",
        f"average squared gradient <= 2 Delta/(gamma T) + gamma L {claimed}",
        "derived; lemma for one step: second moment of the mean of independent messages",
        second_moment(2),
        second_moment(3),
        nonnegative("one step descends", slack, v, g2, L, omega, n),
        equality("the sum of T steps", bound, 2 * gap / (gamma * T) + gamma * L * claimed),
        descends(compressed_bsp_nonconvex, 2, gamma * L * claimed),
    )
