"""Derivation: EF21-BC, by sums of squares over all steps."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes, limit_of
from proofs_check.verdict import Verdict
from theory.theorems.ef21_two_way import ef21_two_way

L, Lt, gap, up, down = (
    symbol(name) for name in ("L", "L_rms", "initial_gap", "delta_up", "delta_down")
)
r, s = sp.symbols("r s", positive=True)
APART = (r + s) / ((1 - r) * (1 - s))
"""A, the errors of both ways over L_rms times the moves, in roots of sums of squares."""
BOUND = 2 * gap / (GAMMA * TIME)


def prove_ef21_two_way(claimed: Any = BOUND, apart: Any = APART) -> Verdict:
    """With errors of ``apart`` L_rms m: rho/(1 - rho), the fixed point of x <- rho (x + 1), is what
    rho^k sums to over k >= 1, by which a convolution is longer than what it is of (Young)."""
    g, w = sp.symbols("g w", real=True)
    A, v = sp.symbols("A v", positive=True)
    worker = r / (1 - r)
    heard = (1 + r) * (worker + 1)  # messages, over L_rms m
    server = s / (1 - s) * heard
    polarised = g**2 / 2 + w**2 / 2 - (w - g) ** 2 / 2  # <g, w>, w the step's direction
    step = 1 / ((L + A * Lt) * (1 + v))
    paid = ((1 - GAMMA * L) / (2 * GAMMA) - GAMMA * A**2 * Lt**2 / 2).subs(GAMMA, step)
    own = {r: sp.sqrt(1 - up), s: sp.sqrt(1 - down)}
    return settled(
        "ef21_two_way",
        f"average squared gradient <= {claimed} for gamma <= 1/(L + A L_rms), A = {apart}",
        "derived; Fatkhullin et al. 2021, arXiv:2110.03294, Algorithm 5",
        equality("what is left on the way up", r * (worker + 1), worker),
        equality("what is left on the way down", s * (server + heard), server),
        equality("errors of both ways", worker + server, apart),
        equality("polarisation", g * w, polarised),
        nonnegative("moves pay for errors", sp.simplify(paid), v, L, Lt, A),
        equality("the limit", limit_of(ef21_two_way), (1 / (L + apart * Lt)).subs(own)),
        equality("sum of T steps", gap / (GAMMA / 2) / TIME, claimed),
        computes(ef21_two_way, claimed),
    )


PROOFS = (prove_ef21_two_way,)
