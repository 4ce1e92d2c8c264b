r"""SGD with error feedback on smooth functions: the descent step at the virtual iterate."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, settled
from proofs_check.proofs.evaluated import evaluates
from proofs_check.verdict import Verdict
from theory.theorems.ef_sgd_nonconvex import ef_sgd_nonconvex

L, G2, gamma, delta = sp.symbols("L G2 gamma delta", positive=True)
FLOOR = gamma * L * G2 + 4 * gamma**2 * L**2 * G2 * (1 - delta) / delta**2


def prove(claimed: Any = FLOOR) -> Verdict:
    r"""avg E||grad f(x_t)||^2 <= 2 Delta/(gamma T) + ``claimed``.

    a = grad f(x), b = grad f(x~): -<b, a> = -||a||^2/2 - ||b||^2/2 + ||a - b||^2/2 and
    ||a - b||^2 <= L^2 ||e||^2 give f(x~+) - f(x~) <= -gamma/2 ||a||^2 + gamma L^2/2 ||e||^2
    + gamma^2 L/2 G2; the sum over T steps, times 2/(gamma T), is the claim.
    """
    a, b = sp.symbols("a b", real=True)
    a2, gap, T = sp.symbols("a2 Delta T", positive=True)
    e2 = 4 * gamma**2 * G2 * (1 - delta) / delta**2
    rise = gamma * L**2 / 2 * e2 + gamma**2 * L / 2 * G2
    total = sp.solve(sp.Eq(-gap, T * (-gamma / 2 * a2 + rise)), a2)[0]
    return settled(
        "ef_sgd_nonconvex",
        f"average squared gradient <= 2 Delta/(gamma T) + {claimed}",
        "Karimireddy et al. 2019, arXiv:1901.09847, Theorem II",
        equality("polarisation", -a * b, -(a**2) / 2 - b**2 / 2 + (a - b) ** 2 / 2),
        equality("the sum of T steps", total, 2 * gap / (gamma * T) + claimed),
        evaluates(ef_sgd_nonconvex, 2 * gap / (gamma * T) + claimed),
    )
