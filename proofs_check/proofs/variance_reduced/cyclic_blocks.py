"""Cyclic block coordinate descent: K steps see the whole gradient, up to what they moved."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes
from proofs_check.verdict import Verdict
from theory.theorems.cyclic_blocks import cyclic_blocks

COVERS = ("bcd",)
L, gap, K = (symbol(name) for name in ("L", "initial_gap", "blocks"))
BOUND = 4 * K * (1 + (K - 1) * GAMMA**2 * L**2) * gap / (GAMMA * TIME)


def window(blocks: int) -> DerivationStep:
    """Parts p_0, p_1, ... of one cycle: 2 sum p_j + 2 y^2 sum_j sum_{i<j} p_i is at most
    2 (1 + (K - 1) y^2) sum p_j, y = gamma L."""
    y = sp.Symbol("y", nonnegative=True)
    parts = sp.symbols(f"p_0:{blocks}", nonnegative=True)
    seen = sum(2 * p + 2 * y**2 * sum(parts[:j]) for j, p in enumerate(parts))
    slack = 2 * (1 + (blocks - 1) * y**2) * sum(parts) - seen
    return nonnegative(f"a cycle of {blocks} sees the gradient", sp.expand(slack), y, *parts)


def prove(claimed: Any = BOUND) -> Verdict:
    """avg ||grad f(x_t)||^2 <= ``claimed`` for gamma <= 1/L."""
    p, v, total = sp.symbols("p v S", nonnegative=True)
    fall = (GAMMA - GAMMA**2 * L / 2) * p
    slack = sp.simplify((fall - GAMMA / 2 * p).subs(GAMMA, 1 / (L * (1 + v))))
    parts = sp.solve(sp.Eq(gap, GAMMA / 2 * total), total)[0]
    mean = 2 * (1 + (K - 1) * GAMMA**2 * L**2) * K * parts / TIME
    return settled(
        "cyclic_blocks",
        f"average squared gradient <= {claimed}",
        "derived; setting of Beck, Tetruashvili 2013",
        nonnegative("one block descends for gamma <= 1/L", slack, v, p, L),
        *(window(blocks) for blocks in (1, 2, 3, 5)),
        equality("every part is in K sums", mean, claimed),
        computes(cyclic_blocks, claimed),
    )
