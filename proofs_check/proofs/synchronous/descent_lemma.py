"""The descent lemma from Lipschitz gradients, and the telescoped sum of its steps."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.expressions import computes
from proofs_check.verdict import Verdict
from theory.theorems.bsp_nonconvex import bsp_nonconvex

COVERS = ("bsp-sgd",)

L, gamma, gap, sigma2, n, T = sp.symbols("L gamma Delta sigma2 n T", positive=True)
CURVATURE = L / 2


def lemma(claimed: Any) -> tuple[DerivationStep, ...]:
    """f(y) - f(x) - <grad f(x), y - x> is the integral over s in [0, 1] of <grad f(x + s d) -
    grad f(x), d> with d = y - x, and at most that of L s ||d||^2."""
    s, d2, x, y = sp.symbols("s d2 x y", positive=True)
    parabola = L / 2 * y**2 - L / 2 * x**2 - L * x * (y - x)
    return (
        equality("the integral of L s d^2", sp.integrate(L * s * d2, (s, 0, 1)), claimed * d2),
        equality("attained by the parabola", parabola, claimed * (y - x) ** 2),
    )


def telescoped(count: int) -> DerivationStep:
    """Sums of f_t - f_{t+1} leave the first and the last."""
    f = sp.symbols(f"f:{count + 1}", real=True)
    total = sum(f[t] - f[t + 1] for t in range(count))
    return equality(f"{count} steps telescope", total, f[0] - f[count])


def prove(claimed: Any = CURVATURE) -> Verdict:
    r"""f(y) <= f(x) + <grad f(x), y - x> + ``claimed`` ||y - x||^2, and what T steps make of it.

    y - x = -gamma g with E g = grad f and variance sigma2/n: f falls by gamma g2 - ``claimed``
    gamma^2 (g2 + sigma2/n) on average.
    """
    g2, v = sp.symbols("g2 v", nonnegative=True)
    step = gamma * g2 - claimed * gamma**2 * (g2 + sigma2 / n)
    kept = gamma / 2 * g2 - claimed * gamma**2 * sigma2 / n
    bound = sp.solve(sp.Eq(gap, T * kept), g2)[0]
    return settled(
        "descent lemma",
        f"f(y) <= f(x) + <grad f(x), y - x> + {claimed} ||y - x||^2",
        "Nesterov 2004, Introductory Lectures on Convex Optimization, Lemma 1.2.3",
        *lemma(claimed),
        nonnegative(
            "half of the descent is left for gamma <= 1/L",
            sp.simplify((step - kept).subs(gamma, 1 / (L * (1 + v)))), v, g2, L,
        ),
        telescoped(5),
        computes(bsp_nonconvex, bound),
    )  # fmt: skip
