r"""Stationary variance of SGD on a quadratic with additive noise."""

from __future__ import annotations

from itertools import product
from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, settled, truth
from proofs_check.verdict import Verdict

COVERS = ("bsp-sgd",)

gamma, a, sigma2, n = sp.symbols("gamma a sigma2 n", positive=True)
VARIANCE = gamma * sigma2 / (n * a * (2 - gamma * a))


def prove(claimed: Any = VARIANCE) -> Verdict:
    r"""x+ = x - gamma (a x + mean of n noises): E x^2 tends to ``claimed``.

    The second moment of one step is enumerated over the signs of the noises at n = 1, 2, 3.
    """
    x, V = sp.symbols("x V", positive=True)
    s = sp.sqrt(sigma2)
    recursion = (1 - gamma * a) ** 2 * V + gamma**2 * sigma2 / n
    steps = []
    for workers in (1, 2, 3):
        signs = list(product((-1, 1), repeat=workers))
        moments = [(x - gamma * (a * x + s * sp.Rational(sum(e), workers))) ** 2 for e in signs]
        right = recursion.subs({V: x**2, n: workers})
        steps.append(equality(f"one step, n = {workers}", sum(moments) / len(signs), right))
    (fixed,) = sp.solve(sp.Eq(V, recursion), V)
    value = claimed.subs({a: 1, gamma: sp.Rational(1, 10), n: 4, sigma2: 1})
    return settled(
        "noisy quadratic",
        f"E x^2 -> {claimed}",
        "Bottou, Curtis, Nocedal 2018, arXiv:1606.04838, Section 4; exact value derived",
        *steps,
        equality("the fixed point", fixed, claimed),
        truth("gamma = 0.1, a = 1, n = 4 gives 1/76", value == sp.Rational(1, 76)),
    )
