r"""Error feedback's residual for steps of any length: Karimireddy's Lemma 3, by induction."""

from __future__ import annotations

from typing import Any, cast

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, symbol
from proofs_check.proofs.expressions import constants, exact
from proofs_check.verdict import Verdict
from theory.theorems.ef_sgd_workers import ef_sgd_workers

COVERS = ("error-feedback",)

delta, gamma, G2 = (symbol(name) for name in ("delta", "gamma", "G2"))
LEMMA = 4 * (1 - delta) / delta**2 * gamma**2 * G2


def young() -> DerivationStep:
    """||a + b||^2 <= (1 + eta) ||a||^2 + (1 + 1/eta) ||b||^2: the difference is a square."""
    a, b, eta = sp.symbols("a b eta", positive=True)
    room = (1 + eta) * a**2 + (1 + 1 / eta) * b**2 - (a + b) ** 2
    return equality("Young's inequality", room, (eta * a - b) ** 2 / eta)


def prove(claimed: Any = LEMMA) -> Verdict:
    r"""E||e_t||^2 <= ``claimed`` at every step.

    E||e+||^2 <= (1 - delta) E||e + gamma g||^2 <= (1 - delta)((1 + eta) E||e||^2 + (1 + 1/eta)
    gamma^2 G2), eta = delta/(2 (1 - delta)): a step from the claim stays below it.
    """
    u = sp.symbols("u", positive=True)  # delta = 1/(1 + u), u = 0 is no compression
    eta = delta / (2 * (1 - delta))
    after = (1 - delta) * ((1 + eta) * claimed + (1 + 1 / eta) * gamma**2 * G2)
    room = sp.cancel((claimed - after).subs(delta, 1 / (1 + u)))
    code = exact(ef_sgd_workers.residual(constants(), cast(float, GAMMA)))
    return settled(
        "error feedback bound",
        f"E||e||^2 <= {claimed}",
        "Karimireddy et al. 2019, arXiv:1901.09847, Lemma 3",
        young(),
        equality("the residual keeps 1 - delta/2", (1 - delta) * (1 + eta), 1 - delta / 2),
        nonnegative("a step from the claim stays below it", room, u, gamma, G2),
        equality("the code's term is 2 L^2 times this", code, 2 * symbol("L") ** 2 * claimed),
    )
