r"""One row of a count sketch: unbiased, variance (||x||^2 - x_i^2)/width."""

from __future__ import annotations

from itertools import product
from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, settled
from proofs_check.verdict import Verdict

total, own, width = sp.symbols("total own w", positive=True)
VARIANCE = (total - own) / width


def enumerate_row(claimed: Any, d: int, columns: int) -> tuple[DerivationStep, ...]:
    """Mean and variance of s_0 times the cell of coordinate 0, over all hashes and signs."""
    x = sp.symbols(f"x:{d}", real=True)
    first, second, cases = sp.Integer(0), sp.Integer(0), 0
    for cells in product(range(columns), repeat=d):
        for signs in product((-1, 1), repeat=d):
            same = (j for j in range(d) if cells[j] == cells[0])
            estimate = signs[0] * sum(signs[j] * x[j] for j in same)
            first, second, cases = first + estimate, second + (estimate - x[0]) ** 2, cases + 1
    squares = {total: sum(t**2 for t in x), own: x[0] ** 2, width: columns}
    name = f"d = {d}, width {columns}"
    return (
        equality(f"unbiased, {name}", sp.expand(first / cases), x[0]),
        equality(f"variance, {name}", sp.expand(second / cases), sp.expand(claimed.subs(squares))),
    )


def prove_count_sketch(claimed: Any = VARIANCE) -> Verdict:
    r"""E(estimate - x_i)^2 = ``claimed``: total = ||x||^2, own = x_i^2.

    Another coordinate collides with chance 1/width and a sign of its own; signs independent in
    pairs remove the products. The sum over i is omega ||x||^2, omega = (d - 1)/width.
    """
    d = sp.symbols("d", positive=True)
    return settled(
        "count sketch",
        f"variance of a row {claimed}",
        "Charikar, Chen, Farach-Colton 2002; used by Ivkin et al. 2019, arXiv:1903.04488",
        *enumerate_row(claimed, 2, 2),
        *enumerate_row(claimed, 3, 2),
        *enumerate_row(claimed, 3, 3),
        equality("all of them", (d * total - total) / width, (d - 1) / width * total),
        equality("(3, -4, 0, 12), width 2", claimed.subs({total: 169, own: 9, width: 2}), 80),
    )


PROOFS = (prove_count_sketch,)

COVERS = {"prove_count_sketch": ("sketched-sgd",)}
