r"""DIANA on smooth functions: f + c H falls with the squared gradient."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import evaluates
from proofs_check.verdict import Verdict
from theory.theorems.diana_nonconvex import diana_nonconvex

L, omega, n, sigma2, gamma, alpha = sp.symbols("L omega n sigma2 gamma alpha", positive=True)
NOISE = (1 + 4 * omega) * sigma2 / n
WEIGHT = 2 * L * gamma**2 * omega / (n * alpha)


def prove(claimed: Any = NOISE, weight: Any = WEIGHT) -> Verdict:
    r"""f + ``weight`` H falls by gamma/2 ||grad f||^2, up to gamma^2 L ``claimed``.

    H = (1/n) sum ||h_i - grad f_i(x)||^2; gamma L = y <= 1/2 and 12 y^2 omega/(n alpha^2) = z <= 1.
    """
    g2, H, gap, zeta2, T = sp.symbols("g2 H Delta zeta2 T", positive=True)
    y, z, u, v = sp.symbols("y z u v", nonnegative=True)
    moment = g2 + ((1 + omega) * sigma2 + omega * H) / n
    shift = (1 - alpha / 2) * H + 3 * alpha / 2 * sigma2 + 3 / alpha * L**2 * gamma**2 * moment
    fall = -gamma * g2 + L * gamma**2 / 2 * moment + weight * (shift - H)
    kept = -gamma / 2 * g2 + L * gamma**2 * claimed
    # divide by gamma/L and put n = 12 y^2 omega/(z alpha^2), then y = 1/(2 (1 + u)), z = 1/(1 + v)
    scaled = sp.expand((kept - fall) / gamma).subs(gamma, y / L)
    inside = scaled.subs(n, 12 * y**2 * omega / (z * alpha**2))
    slack = sp.simplify(inside.subs({y: 1 / (2 * (1 + u)), z: 1 / (1 + v)}))
    a = 1 / (1 + v)  # alpha in (0, 1]
    first = sp.simplify((1 - alpha / 2 - (1 + alpha / 2) * (1 - alpha)).subs(alpha, a))
    second = sp.simplify((3 * alpha / 2 - (1 + alpha / 2) * alpha).subs(alpha, a))
    third = sp.simplify((3 / alpha - (1 + 2 / alpha)).subs(alpha, a))
    start = 2 / (gamma * T) * (gap + WEIGHT * (zeta2 + 2 * L * gap))
    stated = 2 * gap / (gamma * T)
    stated += 4 * gamma * L * omega * (zeta2 + 2 * L * gap) / (n * alpha * T)
    return settled(
        "diana_nonconvex",
        f"noise of one step gamma^2 L {claimed}, weight {weight}",
        "derived; setting of Mishchenko et al. 2019, arXiv:1901.09269",
        nonnegative("Young leaves 1 - alpha/2 of H", first, v),
        nonnegative("of the noise 3 alpha/2", second, v),
        nonnegative("of the move 3/alpha", third, v),
        nonnegative("f + c H falls", slack, u, v, g2, H, L, omega, sigma2, alpha),
        equality("the start of the bound", start, stated),
        evaluates(diana_nonconvex, stated + 2 * gamma * L * claimed),
    )
