r"""D-PSGD: what Theorem 1 gives at the stepsize of Corollary 2, and the cap on the stepsize."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, settled
from proofs_check.verdict import Verdict

L, sigma, n, gap, zeta2 = sp.symbols("L sigma n Delta zeta2", positive=True)
LEAD = (2 * gap + L) * sigma / sp.sqrt(n)


def prove(claimed: Any = LEAD) -> Verdict:
    r"""sqrt(T) times the bound at gamma = 1/(2L + sigma sqrt(T/n)) tends to ``claimed``.

    No lambda in it: the topology acts on terms of order 1/T. And gamma = (1 - lambda)/(L sqrt(54
    n)) makes D_1 = 1/4.
    """
    root = sp.symbols("r", positive=True)  # sqrt(T)
    lam = sp.Rational(9, 10)
    gamma = 1 / (2 * L + sigma * root / sp.sqrt(n))
    u = 9 * gamma**2 * L**2 * n / (1 - lam) ** 2
    d2 = 1 - 2 * u
    spread = sigma**2 / (1 - lam**2) + 9 * zeta2 / (1 - lam) ** 2
    noise = gamma * L * sigma**2 / (2 * n) + gamma**2 * L**2 * n * spread / d2
    bound = (gap / (gamma * root**2) + noise) / (sp.Rational(1, 2) - u / d2)
    lead = sp.limit(sp.together(bound * root), root, sp.oo)
    cap = sp.Rational(9, 54)
    return settled(
        "d_psgd",
        f"leading term {claimed}/sqrt(T), whatever the topology",
        "Lian et al. 2017, arXiv:1705.09056, Theorem 1, Corollary 2",
        equality("D_1 at the cap", sp.Rational(1, 2) - cap / (1 - 2 * cap), sp.Rational(1, 4)),
        equality("the leading term", lead, claimed),
    )
