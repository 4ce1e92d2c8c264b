"""The ring with weights 1/3: eigenvalues (1 + 2 cos(2 pi k/n))/3, by circulant eigenvectors."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import equality, settled
from proofs_check.verdict import Verdict

COVERS = ("d-psgd",)

k, n = sp.symbols("k n", integer=True, positive=True)
EIGENVALUE = (1 + 2 * sp.cos(2 * sp.pi * k / n)) / 3


def prove(claimed: Any = EIGENVALUE) -> Verdict:
    """W v = ``claimed`` v for v_j = exp(2 pi i j k/n), every n >= 3; n = 4, 6, 8 by determinant."""
    j = sp.symbols("j", integer=True)
    angle = 2 * sp.pi * k / n
    vector = sp.exp(sp.I * angle * j)
    image = sum(vector.subs(j, j + shift) for shift in (-1, 0, 1)) / 3
    value = sp.simplify((image / vector).expand().rewrite(sp.cos))
    ends = sp.exp(sp.I * angle * n)
    steps = [
        equality("W v = lambda v", value, claimed.rewrite(sp.cos)),
        equality("v closes around the ring", ends, 1),
    ]
    z = sp.symbols("z")
    for size in (4, 6, 8):
        ring = sp.Matrix(size, size, lambda r, c, m=size: int((r - c) % m in (0, 1, m - 1)))
        roots = sp.prod([z - claimed.subs({n: size, k: m}) for m in range(1, size + 1)])
        polynomial = (ring / 3).charpoly(z).as_expr()
        steps.append(equality(f"all eigenvalues at n = {size}", polynomial, sp.expand(roots)))
    return settled(
        "ring spectrum",
        f"eigenvalues {claimed}",
        "circulant matrices; used by Koloskova, Stich, Jaggi 2019, arXiv:1902.00340, Table 1",
        *steps,
    )
