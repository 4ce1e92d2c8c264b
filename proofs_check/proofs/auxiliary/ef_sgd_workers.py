r"""SGD with error feedback on n workers: the descent step with the noise averaged."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.expressions import descends
from proofs_check.verdict import Verdict
from theory.theorems.ef_sgd_workers import ef_sgd_workers

L, G2, sigma2, n, gamma, delta = sp.symbols("L G2 sigma2 n gamma delta", positive=True)
FLOOR = 2 * gamma * L * sigma2 / n + 8 * gamma**2 * L**2 * G2 * (1 - delta) / delta**2


def virtual_descent(e2: Any, claimed: Any) -> tuple[DerivationStep, DerivationStep]:
    r"""avg E||grad f(x_t)||^2 <= 4 Delta/(gamma T) + ``claimed`` if E||x~_t - x_t||^2 <= ``e2``.

    x~ takes plain steps. Half of the descent at x~ pays for the gradients' variance, gamma <=
    1/(2L); what is left is gamma/4 ||grad f(x)||^2.
    """
    a2, gap, T = sp.symbols("a2 Delta T", positive=True)
    v = sp.symbols("v", nonnegative=True)
    rise = gamma * L**2 / 2 * e2 + gamma**2 * L / 2 * sigma2 / n
    descent = -gamma / 2 * a2 + gamma**2 * L / 2 * a2
    slack = sp.simplify((-gamma / 4 * a2 - descent).subs(gamma, 1 / (2 * L * (1 + v))))
    total = sp.solve(sp.Eq(-gap, T * (-gamma / 4 * a2 + rise)), a2)[0]
    return (
        nonnegative("one step descends for gamma <= 1/(2L)", slack, v, a2, L),
        equality("the sum of T steps", total, 4 * gap / (gamma * T) + claimed),
    )


def prove(claimed: Any = FLOOR) -> Verdict:
    r"""avg E||grad f(x_t)||^2 <= 4 Delta/(gamma T) + ``claimed`` for gamma <= 1/(2L)."""
    return settled(
        "ef_sgd_workers",
        f"average squared gradient <= 4 Delta/(gamma T) + {claimed}",
        "derived; setting of Karimireddy et al. 2019, arXiv:1901.09847",
        *virtual_descent(4 * gamma**2 * G2 * (1 - delta) / delta**2, claimed),
        descends(ef_sgd_workers, 4, claimed),
    )
