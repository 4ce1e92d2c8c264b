r"""Compressed gradient descent with scaled rand-k on f = (a/2)||x||^2: E||x||^2 step by step."""

from __future__ import annotations

from itertools import combinations, product
from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, settled
from proofs_check.verdict import Verdict

COVERS = ("random-k",)

h, omega, n = sp.symbols("h omega n", positive=True)  # h = gamma a
FACTOR = (1 - h) ** 2 + omega * h**2 / n


def enumerate_step(claimed: Any, d: int, k: int, workers: int) -> DerivationStep:
    """E||x - h (1/n) sum C_i(x)||^2 over all subsets of k of d coordinates of each worker."""
    x = sp.symbols(f"x:{d}", real=True)
    scale = sp.Rational(d, k)
    total, cases = sp.Integer(0), 0
    for choice in product(list(combinations(range(d), k)), repeat=workers):
        counts = [sum(i in kept for kept in choice) for i in range(d)]
        after = [xi * (1 - h * scale * c / workers) for xi, c in zip(x, counts, strict=True)]
        total, cases = total + sum(y**2 for y in after), cases + 1
    right = claimed.subs({omega: scale - 1, n: workers}) * sum(xi**2 for xi in x)
    return equality(f"rand-{k} of {d}, n = {workers}", sp.expand(total / cases), sp.expand(right))


def prove(claimed: Any = FACTOR) -> Verdict:
    r"""One step multiplies E||x||^2 by ``claimed``; stable iff h < 2/(1 + omega/n)."""
    edges = sp.solve(sp.Eq(claimed, 1), h)
    return settled(
        "rand-k factor",
        f"E||x||^2 changes by the factor {claimed}",
        "derived; compare Khirirat, Feyzmahdavian, Johansson 2018, arXiv:1806.06573",
        enumerate_step(claimed, 4, 1, 1),
        enumerate_step(claimed, 4, 1, 3),
        enumerate_step(claimed, 3, 2, 2),
        equality("the stability threshold", edges[-1], 2 / (1 + omega / n)),
    )
