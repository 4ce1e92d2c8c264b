"""The linear recursion r+ <= (1 - c) r + b in closed form, by induction."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, nonnegative, settled
from proofs_check.verdict import Verdict

COVERS = {"prove_linear_recursion": ("bsp-sgd", "local-sgd")}

c, b, r0 = sp.symbols("c b r0", positive=True)
t = sp.symbols("t", integer=True, nonnegative=True)
BOUND = (1 - c) ** t * r0 + (1 - (1 - c) ** t) * b / c


def prove_linear_recursion(claimed: Any = BOUND) -> Verdict:
    """r_t <= ``claimed`` for 0 < c <= 1: it holds at 0, and a step keeps it, 1 - c not being
    negative; with equality in the recursion it is attained. Never above r0 + b/c."""
    s = sp.symbols("s", nonnegative=True)  # (1 - c)^t = 1/(1 + s)
    step = sp.simplify(claimed.subs(t, t + 1) - (1 - c) * claimed - b)
    room = (r0 + b / c - claimed).subs((1 - c) ** t, 1 / (1 + s))
    return settled(
        "linear recursion",
        f"r_t <= {claimed}",
        "induction; used by every theorem with a floor",
        equality("it holds at t = 0", claimed.subs(t, 0), r0),
        equality("a step keeps it, with equality", step, 0),
        nonnegative("and it never exceeds r0 + b/c", sp.simplify(room), s, r0, b, c),
        equality("c = 1 forgets the start", claimed.subs(c, 1).subs(t, 1), b),
    )


PROOFS = (prove_linear_recursion,)
