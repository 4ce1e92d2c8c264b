"""Two unbiased operators one after the other: omega_1 omega_2 + omega_1 + omega_2, attained."""

from __future__ import annotations

from itertools import product
from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, settled
from proofs_check.verdict import Verdict

COVERS = ("natural-compression", "qsgd")

w1, w2 = sp.symbols("omega_1 omega_2", positive=True)
OMEGA = w1 * w2 + w1 + w2


def parts() -> DerivationStep:
    """(z - x)^2 = (z - y)^2 + (y - x)^2 + 2 (z - y)(y - x); the last is 0 on average over z."""
    x, y, mean, square = sp.symbols("x y m v", real=True)  # E z = m, E z^2 = v + m^2
    whole = (square + mean**2) - 2 * mean * x + x**2
    return equality(
        "E||C1(y) - x||^2 = E||C1(y) - y||^2 + ||y - x||^2 where E C1(y) = y",
        whole.subs(mean, y), square + (y - x) ** 2,
    )  # fmt: skip


def attained(claimed: Any) -> DerivationStep:
    """C_k(x) = (1 +- sqrt(omega_k)) x: all four outcomes of both."""
    x = sp.symbols("x", real=True)
    error = sum(
        ((1 + a * sp.sqrt(w1)) * (1 + b * sp.sqrt(w2)) * x - x) ** 2
        for a, b in product((-1, 1), repeat=2)
    )
    return equality("two operators that attain it", sp.expand(error / 4), claimed * x**2)


def prove(claimed: Any = OMEGA) -> Verdict:
    r"""E||C1(C2(x)) - x||^2 <= ``claimed`` ||x||^2, the best constant.

    Given y = C2(x) the error of C1 is at most omega_1 ||y||^2, and E||y||^2 = ||x||^2 +
    E||y - x||^2 <= (1 + omega_2) ||x||^2.
    """
    x2 = sp.symbols("x2", positive=True)
    total = w1 * (x2 + w2 * x2) + w2 * x2
    return settled(
        "unbiased composition",
        f"C1 after C2 has omega = {claimed}",
        "Horvath et al. 2019, arXiv:1905.10988, Theorem 5",
        parts(),
        equality("the two errors together", total / x2, claimed),
        attained(claimed),
    )
