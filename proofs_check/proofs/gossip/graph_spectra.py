"""Laplacians of the complete graph, the ring, the torus and the hypercube: their eigenvalues."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, settled, truth
from proofs_check.verdict import Verdict
from theory.networks.spectra import (
    complete_laplacian,
    cycle_laplacian,
    hypercube_laplacian,
    path_laplacian,
    product_laplacian,
)

COVERS = ("d-psgd",)

k, n = sp.symbols("k n", integer=True, positive=True)
CYCLE = 2 - 2 * sp.cos(2 * sp.pi * k / n)


def complete() -> DerivationStep:
    """(n I - 1 1^T) v = n v where the entries of v add up to 0, and 0 where all are equal."""
    v = sp.Matrix(sp.symbols("v:4"))
    image = (4 * sp.eye(4) - sp.ones(4, 4)) * v
    orthogonal = image.subs(v[3], -(v[0] + v[1] + v[2])) - 4 * v.subs(v[3], -(v[0] + v[1] + v[2]))
    return truth("complete graph: n on the vectors of mean 0", orthogonal == sp.zeros(4, 1))


def cycle(claimed: Any) -> DerivationStep:
    """Lap v = ``claimed`` v for v_j = exp(2 pi i j k/n)."""
    angle = 2 * sp.pi * k / n
    image = 2 - sp.exp(sp.I * angle) - sp.exp(-sp.I * angle)
    return equality("ring: 2 - 2 cos", sp.simplify(image.rewrite(sp.cos)), claimed)


def products() -> DerivationStep:
    """(A x I + I x B)(v x w) = (A v) x w + v x (B w), so eigenvalues add."""
    a = sp.Matrix(2, 2, sp.symbols("a:4"))
    b = sp.Matrix(3, 3, sp.symbols("b:9"))
    v, w = sp.Matrix(sp.symbols("v:2")), sp.Matrix(sp.symbols("w:3"))
    kron = sp.kronecker_product
    left = (kron(a, sp.eye(3)) + kron(sp.eye(2), b)) * kron(v, w)
    right = kron(a * v, w) + kron(v, b * w)
    return truth("product of graphs: eigenvalues add", sp.expand(left - right) == sp.zeros(6, 1))


def laplacian(edges: list[tuple[int, int]], count: int) -> Any:
    """The graph's Laplacian D - A in integers."""
    matrix = sp.zeros(count, count)
    for i, j in edges:
        matrix[i, j] -= 1
        matrix[j, i] -= 1
        matrix[i, i] += 1
        matrix[j, j] += 1
    return matrix


def roots(what: str, edges: list[tuple[int, int]], values: Any) -> DerivationStep:
    """The characteristic polynomial of the graph has the eigenvalues that the code gives."""
    z = sp.symbols("z")
    whole = [sp.nsimplify(round(float(v), 10), rational=True) for v in values]
    polynomial = laplacian(edges, len(whole)).charpoly(z).as_expr()
    claimed = sp.expand(sp.prod([z - v for v in whole]))
    return equality(f"{what}: the code's eigenvalues are the roots", polynomial, claimed)


def prove(claimed: Any = CYCLE, bit: int = 2) -> Verdict:
    """Ring ``claimed``, k = 0 .. n-1; torus sums of two; hypercube ``bit`` times the bits of k;
    complete graph n, n - 1 times."""
    torus = [(4 * r + c, 4 * ((r + 1) % 3) + c) for r in range(3) for c in range(4)]
    torus += [(4 * r + c, 4 * r + (c + 1) % 4) for r in range(3) for c in range(4)]
    cube = [(i, i ^ b) for i in range(8) for b in (1, 2, 4) if i < i ^ b]
    everyone = [(i, j) for i in range(5) for j in range(i)]
    link = path_laplacian(2)
    return settled(
        "graph spectra",
        f"ring {claimed}, torus sums of two of these, hypercube {bit} times the bits of k",
        "Brouwer, Haemers 2012, Spectra of Graphs, section 1.4",
        complete(),
        cycle(claimed),
        products(),
        truth(
            "hypercube: sums of the eigenvalues of one link",
            [round(v, 12) for v in link.tolist()] == [0, bit],
        ),
        roots("ring of 6", [(i, (i + 1) % 6) for i in range(6)], cycle_laplacian(6)),
        roots("torus 3 x 4", torus, product_laplacian(cycle_laplacian(3), cycle_laplacian(4))),
        roots("hypercube of 8", cube, hypercube_laplacian(8)),
        roots("complete graph of 5", everyone, complete_laplacian(5)),
    )
