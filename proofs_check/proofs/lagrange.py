"""Cauchy-Schwarz by Lagrange's identity; from a descent step to f - f* by Polyak-Lojasiewicz."""

from __future__ import annotations

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality


def sums_of_squares(count: int) -> DerivationStep:
    """count sum a_i^2 - (sum a_i)^2 = sum_{i<j} (a_i - a_j)^2 at ``count`` variables."""
    a = sp.symbols(f"a:{count}", real=True)
    squares = sum((a[i] - a[j]) ** 2 for i in range(count) for j in range(i))
    left = count * sum(x**2 for x in a) - sum(a) ** 2
    return equality(f"Lagrange's identity at {count} variables", left, squares)
