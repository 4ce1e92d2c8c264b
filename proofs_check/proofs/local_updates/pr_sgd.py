r"""PR-SGD: the drift of the workers within a period and the sum of T steps."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.expressions import descends
from proofs_check.verdict import Verdict
from theory.theorems.pr_sgd import pr_sgd

gamma, L, H, G2, sigma2, n = sp.symbols("gamma L H G2 sigma2 n", positive=True)
FLOOR = 4 * gamma**2 * H**2 * G2 * L**2 + gamma * L * sigma2 / n


def prove(claimed: Any = FLOOR) -> Verdict:
    r"""avg E||grad f(xbar_t)||^2 <= 2 Delta/(gamma T) + ``claimed``.

    Descent: with S = ||mean grad f_i(x_i)||^2 and gamma <= 1/L, ||grad f(xbar)||^2 is at most
    2/gamma times the decrease - (1 - gamma L) S + L^2 V + gamma L sigma2/n, V the mean squared
    distance from xbar. j <= H steps after an averaging xbar - x_i is gamma times a difference of
    two sums of j vectors of second moment G2, so V <= 2 gamma^2 (j^2 + j^2) G2.
    """
    j, rest, S, u = sp.symbols("j rest S u", nonnegative=True)
    two_sums = 2 * gamma**2 * (j * j * G2 + j * j * G2)
    drift = 4 * gamma**2 * H**2 * G2
    dropped = ((1 - gamma * L) * S).subs(gamma, 1 / (L * (1 + u)))
    later = (drift - two_sums).subs(H, j + 1 + rest)
    descent = L**2 * drift + gamma * L * sigma2 / n
    return settled(
        "pr_sgd",
        f"average squared gradient <= 2 Delta/(gamma T) + {claimed}",
        "Yu, Yang, Zhu 2018, arXiv:1807.06629, Theorem 1",
        nonnegative("the term in S may be dropped if gamma <= 1/L", dropped, S, u),
        nonnegative("the drift is at most that of H steps", later, j, rest, gamma, G2),
        equality("sum of T steps", descent, claimed),
        descends(pr_sgd, 2, claimed),
    )
