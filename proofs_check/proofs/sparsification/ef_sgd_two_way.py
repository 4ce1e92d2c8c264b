r"""Error feedback on workers and server: both residuals together, and the virtual iterate."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.auxiliary.ef_sgd_workers import virtual_descent
from proofs_check.proofs.derivation import equality, settled
from proofs_check.proofs.evaluated import TIME, evaluates, symbol
from proofs_check.verdict import Verdict
from theory.theorems.ef_sgd_two_way import ef_sgd_two_way

r1, r2, L, G2, sigma2, n, gamma = sp.symbols("r1 r2 L G2 sigma2 n gamma", positive=True)
AMPLIFICATION = (r1 + r2) / ((1 - r1) * (1 - r2))
FLOOR = 2 * gamma * L * sigma2 / n + 2 * gamma**2 * L**2 * G2 * AMPLIFICATION**2


def prove(claimed: Any = AMPLIFICATION) -> Verdict:
    r"""sqrt(E||e + mean e_i||^2) <= gamma G ``claimed``, r_j = sqrt(1 - delta_j)."""
    x, e, s, g, up, down = sp.symbols("x e s g C1 C2", real=True)
    worker = g + e - up  # mean residual of the workers, g = gamma times the mean gradient
    server = up + s - down
    after = (x - down) - worker - server
    mine = r1 / (1 - r1)  # fixed point of e -> r1 (1 + e), in units of gamma G
    message = 1 + 2 * mine
    theirs = r2 / (1 - r2) * message
    own = 2 * gamma * L * sigma2 / n + 2 * gamma**2 * L**2 * G2 * claimed**2
    bound = 4 * symbol("initial_gap") / (gamma * TIME) + own
    lost = {r1: sp.sqrt(1 - symbol("delta_up")), r2: sp.sqrt(1 - symbol("delta_down"))}
    return settled(
        "ef_sgd_two_way",
        f"both residuals <= gamma G {claimed}",
        "derived; update of Zheng, Huang, Kwok 2019, arXiv:1905.10936",
        equality("the virtual iterate takes the plain step", after, x - e - s - g),
        equality("the workers' fixed point", r1 * (1 + mine), mine),
        equality("the mean message is g + e - e+", up, g + e - worker),
        equality("the server's fixed point", r2 * (message + theirs), theirs),
        equality("the two together", mine + theirs, claimed),
        *virtual_descent(gamma**2 * G2 * AMPLIFICATION**2, FLOOR),
        evaluates(ef_sgd_two_way, bound.subs(lost)),
    )
