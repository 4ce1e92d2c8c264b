"""From a descent step to f - f*: the inequality of Polyak and Lojasiewicz, and the recursion."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative
from proofs_check.proofs.evaluated import GAMMA, TIME, symbol
from proofs_check.proofs.expressions import computes
from theory.theorems.families import PolyakLojasiewicz

mu, gap = symbol("pl"), symbol("initial_gap")


def contracts(theorem: PolyakLojasiewicz, floor: Any) -> tuple[DerivationStep, ...]:
    """E f(x+) <= f - gamma/2 ||grad f||^2 + gamma/2 ``floor`` and ||grad f||^2 >= 2 mu (f - f*)
    give the theorem's bound."""
    e, more, s = sp.symbols("e more s", nonnegative=True)
    t = sp.symbols("t", integer=True, nonnegative=True)
    r = sp.Function("r")
    step = e - GAMMA / 2 * (2 * mu * e + more) + GAMMA / 2 * s
    solution = sp.rsolve(r(t + 1) - (1 - GAMMA * mu) * r(t) - GAMMA / 2 * s, r(t), {r(0): gap})
    left = (1 - GAMMA * mu) ** TIME
    claimed = left * gap + (1 - left) * s / (2 * mu)
    return (
        nonnegative(
            "f - f* shrinks by 1 - gamma mu, up to the floor",
            sp.expand((1 - GAMMA * mu) * e + GAMMA / 2 * s - step), more, GAMMA, e, s,
        ),
        equality("T such steps", solution.subs(t, TIME), claimed),
        computes(theorem, claimed.subs(s, floor)),
    )  # fmt: skip
