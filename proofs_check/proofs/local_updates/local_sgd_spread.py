r"""Local SGD on a common quadratic: the spread of the workers j steps after an averaging."""

from __future__ import annotations

from itertools import product
from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, settled
from proofs_check.verdict import Verdict

COVERS = ("local-sgd",)

q, gamma, sigma2, n = sp.symbols("q gamma sigma2 n", positive=True)  # q = 1 - gamma a
j = sp.symbols("j", integer=True, nonnegative=True)
SPREAD = (1 - 1 / n) * gamma**2 * sigma2 * (1 - q ** (2 * j)) / (1 - q**2)


def prove(claimed: Any = SPREAD) -> Verdict:
    r"""E (1/n) sum (x_i - xbar)^2 = ``claimed``; the mean itself moves as BSP-SGD does.

    x_i+ = q x_i - gamma s e_i with independent signs e_i, enumerated for n = 2, 3.
    """
    D = sp.Function("D")
    s = sp.sqrt(sigma2)
    steps = []
    for workers in (2, 3):
        x = sp.symbols(f"x:{workers}", real=True)
        total, cases = sp.Integer(0), 0
        for signs in product((-1, 1), repeat=workers):
            after = [q * xi - gamma * s * e for xi, e in zip(x, signs, strict=True)]
            mean = sum(after) / workers
            total, cases = total + sum((y - mean) ** 2 for y in after) / workers, cases + 1
        centre = sum(x) / workers
        old = sum((xi - centre) ** 2 for xi in x) / workers
        right = q**2 * old + (1 - sp.Rational(1, workers)) * gamma**2 * sigma2
        steps.append(equality(f"one step, n = {workers}", total / cases, right))
    recursion = D(j + 1) - q**2 * D(j) - (1 - 1 / n) * gamma**2 * sigma2
    solution = sp.rsolve(recursion, D(j), {D(0): 0})
    return settled(
        "local SGD spread",
        f"spread after j steps {claimed}",
        "derived; setting of Stich 2018, arXiv:1805.09767",
        *steps,
        equality("the sum of the series", solution, claimed),
    )
