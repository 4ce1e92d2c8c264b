r"""SSP with a constant stepsize: one step, and what late and early updates add."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled, truth
from proofs_check.proofs.evaluated import evaluates, symbol
from proofs_check.proofs.gossip_convex.dgd import telescope
from proofs_check.proofs.synchronous.ssp import windows
from proofs_check.verdict import Verdict
from theory.theorems.ssp_constant_step import ssp_constant_step

gamma, length, R2, n, T = sp.symbols("gamma l R2 n T", positive=True)
s = sp.symbols("s", nonnegative=True)
AMOUNT = R2 / (2 * gamma * T) + (2 * s + 1) * n * gamma * length**2


def prove(claimed: Any = AMOUNT) -> Verdict:
    r"""(1/T) sum f_t(view_t) - f_t(x*) <= ``claimed`` for the stepsize gamma.

    With x_{t+1} = x_t - gamma g_t, <view_t - x*, g_t> is (d_t - d_{t+1})/(2 gamma) + gamma
    ||g_t||^2/2 + <view_t - x_t, g_t>, d_t = ||x_t - x*||^2. The first telescopes below
    R2/(2 gamma), the last is at most gamma l^2 times the updates that the view lacks or has early.
    """
    w = sp.symbols("w", nonnegative=True)
    late = (2 * s + 1) * (n - 1)
    total = R2 / (2 * gamma * T) + gamma * length**2 / 2 + late * gamma * length**2
    best = sp.sqrt(R2 / (2 * (2 * s + 1) * n * length**2 * T))
    return settled(
        "ssp_constant_step",
        f"average regret <= {claimed}",
        "derived; setting of Ho et al. 2013, NIPS, Theorem 1",
        telescope("one step"),
        truth("2 s + 1 of each other worker", all(windows(k) <= 2 * k + 1 for k in range(6))),
        nonnegative(
            "the sums fit", sp.expand((claimed - total).subs(n, 1 + w)), s, w, gamma, length, R2
        ),
        equality("the best stepsize", sp.diff(AMOUNT, gamma).subs(gamma, best), 0),
        evaluates(ssp_constant_step, claimed.subs(s, symbol("lead"))),
    )
