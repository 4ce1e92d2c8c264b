"""Perturbed iterates: one step of the virtual iterate, the sum of T, and the model beside it."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes
from proofs_check.verdict import Verdict
from theory.theorems.perturbed_iterate import perturbed_iterate

L, sigma2, n, G2, S, a, b, gap = (
    symbol(name)
    for name in ("L_max", "sigma2", "n", "G2", "reach", "gain", "excess", "initial_gap")
)
NEAR = GAMMA**2 * S**2 * G2


def prove(near: Any = NEAR) -> Verdict:
    """Gradients and model within ``near`` of z in squared distance: the bound, if that is S^2.

    With m the mean gradient, -<grad f(z), m> = (||grad f(z) - m||^2 - ||grad f(z)||^2 - ||m||^2)/2.
    """
    z2, m2, v, y = sp.symbols("z2 m2 v y", nonnegative=True)
    noise = (sigma2 + b * G2) / n
    inner = z2 / 2 + m2 / 2 - L**2 * NEAR / 2
    change = -y * inner + L * y**2 / 2 * (m2 + noise)
    kept = -y / 2 * z2 + y / 2 * L**2 * NEAR + L * y**2 / 2 * noise
    slack = sp.simplify((kept - change).subs(y, 1 / (L * (1 + v))))
    mean = sp.solve(sp.Eq(-gap, TIME * kept), z2)[0].subs(y, a * GAMMA)
    lead = 4 * gap / (a * GAMMA * TIME) + 2 * a * GAMMA * L * noise
    p, q = sp.symbols("p q", real=True)
    return settled(
        "perturbed_iterate",
        f"average squared gradient <= {lead} + 4 L^2 {near}",
        "derived; setting of Mania et al. 2017, arXiv:1507.06970",
        nonnegative("one step descends for gamma a <= 1/L", slack, v, m2, L),
        equality("(p + q)^2 <= 2 p^2 + 2 q^2", 2 * p**2 + 2 * q**2 - (p + q) ** 2, (p - q) ** 2),
        equality("the model beside z", 2 * mean + 2 * L**2 * NEAR, lead + 4 * L**2 * near),
        computes(perturbed_iterate, lead + 4 * L**2 * near),
    )
