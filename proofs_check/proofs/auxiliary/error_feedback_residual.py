r"""The worst residual of error feedback over all contractions, for steps of constant length."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.verdict import Verdict

COVERS = ("error-feedback",)

q, g = sp.symbols("q g", positive=True)  # q = sqrt(1 - delta) < 1, g = gamma G
SUP = q**2 / (1 - q) ** 2 * g**2


def prove(claimed: Any = SUP) -> Verdict:
    r"""sup ||e_t||^2 = ``claimed``, which is at most 4 (1 - delta)/delta^2 gamma^2 G^2.

    ||e_{t+1}|| <= q (||e_t|| + g), with equality for C(p) = (1 - q) p and steps in one direction;
    the recursion from 0 grows to its fixed point and never beyond.
    """
    t = sp.symbols("t", integer=True, nonnegative=True)
    r = sp.Function("r")
    length = sp.rsolve(r(t + 1) - q * (r(t) + g), r(t), {r(0): 0})
    limit = q * g / (1 - q)
    p, v = sp.symbols("p v", nonnegative=True)
    lemma = (4 * q**2 / (1 - q**2) ** 2 * g**2 - SUP).subs(q, 1 / (1 + v))
    return settled(
        "error feedback residual",
        f"sup ||e||^2 = {claimed}, q = sqrt(1 - delta), g = gamma G",
        "Karimireddy et al. 2019, arXiv:1901.09847, Lemma 3; exact supremum derived",
        equality(
            "(1 - q) p leaves a residual of length q |p|", (p - (1 - q) * p) ** 2, (q * p) ** 2
        ),
        equality("the recursion in closed form", length, limit * (1 - q**t)),
        equality("its limit, squared", limit**2, claimed),
        nonnegative("the limit lies below Lemma 3", sp.cancel(lemma), v, g),
    )
