r"""Error feedback on workers and server: both residuals together, and the virtual iterate."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.verdict import Verdict

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
    a2, gap, T = sp.symbols("a2 Delta T", positive=True)
    v = sp.symbols("v", nonnegative=True)
    rise = gamma * L**2 / 2 * gamma**2 * G2 * AMPLIFICATION**2 + gamma**2 * L / 2 * sigma2 / n
    descent = -gamma / 2 * a2 + gamma**2 * L / 2 * a2
    slack = sp.simplify((-gamma / 4 * a2 - descent).subs(gamma, 1 / (2 * L * (1 + v))))
    total = sp.solve(sp.Eq(-gap, T * (-gamma / 4 * a2 + rise)), a2)[0]
    return settled(
        "ef_sgd_two_way",
        f"both residuals <= gamma G {claimed}",
        "derived; update of Zheng, Huang, Kwok 2019, arXiv:1905.10936",
        equality("the virtual iterate takes the plain step", after, x - e - s - g),
        equality("the workers' fixed point", r1 * (1 + mine), mine),
        equality("the mean message is g + e - e+", up, g + e - worker),
        equality("the server's fixed point", r2 * (message + theirs), theirs),
        equality("the two together", mine + theirs, claimed),
        nonnegative("one step descends for gamma <= 1/(2L)", slack, v, a2, L),
        equality("the sum of T steps", total, 4 * gap / (gamma * T) + FLOOR),
    )
