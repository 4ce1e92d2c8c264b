"""Push-sum with gradient steps: sums move by the mean gradient, and a step's ages add up."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, settled
from proofs_check.proofs.evaluated import symbol
from proofs_check.proofs.expressions import near
from proofs_check.verdict import Verdict
from theory.theorems.sgp import sgp

COVERS = ("gossipgrad", "sgp")
a, b, c = sp.symbols("a b c", positive=True)
PUSHED = sp.Matrix([[1 - a, b / 2, c], [a / 2, 1 - b, 0], [a / 2, b / 2, 1 - c]])
"""Any matrix whose columns sum to 1: what three workers make of theirs."""


def prove(pushed: sp.Matrix = PUSHED) -> Verdict:
    """x <- P (x - gamma g) moves the mean by the mean gradient, x_3 is the start pushed on and the
    steps of ages 1 to 3; 1/(1 - lam) is the sum of all ages for one symmetric matrix."""
    x = sp.Matrix(sp.symbols("x_0:3", real=True))
    steps = [sp.Matrix(sp.symbols(f"g_{t}_0:3", real=True)) for t in range(3)]
    moved = sum(pushed * (x - steps[0])) - sum(x) + sum(steps[0])
    run, ages = x, pushed**3 * x
    for t, g in enumerate(steps):
        run = pushed * (run - g)
        ages -= pushed ** (3 - t) * g
    lam, s = sp.Rational(7, 10), sp.Symbol("k", integer=True, nonnegative=True)
    powers = sp.summation(lam**s, (s, 0, sp.oo))
    carried: Any = symbol("carried")
    return settled(
        "sgp",
        "means move by mean gradients, ages of a step add up, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Assran et al. 2018, arXiv:1811.10792",
        equality("the mean moves by the mean gradient", sp.expand(moved), 0),
        equality("steps are carried on", sum(sp.expand(v) ** 2 for v in sp.expand(run - ages)), 0),
        equality("ages of one symmetric matrix", powers, 1 / (1 - lam)),
        near(sgp, carried),
    )
