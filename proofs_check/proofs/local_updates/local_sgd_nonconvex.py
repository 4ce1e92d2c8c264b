r"""Local SGD, non-convex: the drift of a period, and the stepsize condition in closed form."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.expressions import descends
from proofs_check.verdict import Verdict
from theory.theorems.local_sgd_nonconvex import local_sgd_nonconvex

gamma, L, H, sigma2, n = sp.symbols("gamma L H sigma2 n", positive=True)
FLOOR = gamma * L * sigma2 / n + gamma**2 * L**2 * sigma2 * (H - 1)


def condition() -> tuple[DerivationStep, ...]:
    """gamma L + gamma^2 L^2 H (H - 1) <= 1 says gamma L <= 1/H: at y = 1/H it is an equality."""
    y, w = sp.symbols("y w", nonnegative=True)
    left = y + y**2 * H * (H - 1)
    rise = sp.diff(left, y).subs(H, 1 + w)
    return (
        equality("the condition is tight at gamma L = 1/H", left.subs(y, 1 / H), 1),
        nonnegative("and grows with gamma", rise, y, w),
    )


def prove(claimed: Any = FLOOR) -> Verdict:
    r"""avg E||grad f(xbar_t)||^2 <= 2 Delta/(gamma T) + ``claimed``.

    Descent: ||grad f(xbar)||^2 is at most 2/gamma times the decrease, - (1 - gamma L) S, where S is
    (1/n) sum ||grad f(x_i)||^2, + L^2 V + gamma L sigma2/n, V the spread. j steps after an
    averaging V <= 2 gamma^2 j sigma2 + 2 gamma^2 j (sum of S since then): over a period of H steps
    the noise averages to gamma^2 (H - 1) sigma2, and every S comes back at most
    gamma^2 L^2 H (H - 1) times, which the condition pays for.
    """
    j, i = sp.symbols("j i", integer=True, nonnegative=True)
    noise = sp.summation(2 * gamma**2 * j * sigma2, (j, 0, H - 1)) / H
    first = sp.summation(2 * gamma**2 * L**2 * j, (j, 1, H - 1))  # how often S of step 0 returns
    later = sp.summation(2 * gamma**2 * L**2 * j, (j, i + 1, H - 1))
    return settled(
        "local_sgd_nonconvex",
        f"average squared gradient <= 2 Delta/(gamma T) + {claimed}",
        "Wang, Joshi 2018, arXiv:1808.07576, Theorem 1, W = J",
        *condition(),
        equality("S of the first step returns", first, gamma**2 * L**2 * H * (H - 1)),
        nonnegative("S of a later step returns less", first - later, i, gamma, L),
        equality("noise and drift", gamma * L * sigma2 / n + L**2 * noise, claimed),
        descends(local_sgd_nonconvex, 2, claimed),
    )
