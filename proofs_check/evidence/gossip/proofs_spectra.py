"""Derivations: consensus contraction, spectra of graphs and rings, D-PSGD by variances."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.evidence.gossip_averaging.theorems import powers
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled, truth
from proofs_check.proofs.evaluated import GAMMA, TIME
from proofs_check.proofs.expressions import computes
from proofs_check.proofs.norms import about_the_mean, mixing
from proofs_check.verdict import Verdict
from theory.networks.mixing import spectrum
from theory.networks.spectra import (
    complete_laplacian,
    cycle_laplacian,
    hypercube_laplacian,
    path_laplacian,
    product_laplacian,
)
from theory.networks.weights import metropolis_hastings
from theory.theorems.d_psgd_variance import d_psgd_variance

lam, workers, L, sigma2, zeta2 = sp.symbols("lambda n L_max sigma2 zeta2", positive=True)
rho, gap = sp.symbols("lam initial_gap", positive=True)
# Gossip steps in the eigenvectors of W: every mode shrinks by its eigenvalue.


t = sp.symbols("t", integer=True, nonnegative=True)
FACTOR = lam ** (2 * t)


def eigenvalues() -> DerivationStep:
    """lam of the code is the second largest modulus of the roots of W's characteristic polynomial.

    Metropolis weights of a path of four, in fractions.
    """
    adjacency = np.zeros((4, 4), dtype=bool)
    for i in range(3):
        adjacency[i, i + 1] = adjacency[i + 1, i] = True
    w = metropolis_hastings(adjacency)
    exact = sp.Matrix(4, 4, lambda i, j: sp.nsimplify(w[i, j], rational=True, tolerance=1e-12))
    moduli = sorted(
        (abs(root.evalf(30)) for root, m in sp.roots(exact.charpoly()).items() for _ in range(m)),
        reverse=True,
    )
    near = abs(moduli[1] - sp.Float(spectrum(w).lam, 30)) < sp.Float("1e-14")
    return truth("the code's lam is a root of the characteristic polynomial", near)


def prove_consensus_contraction(claimed: Any = FACTOR) -> Verdict:
    r"""\|W^t x - xbar\|^2 <= ``claimed`` \|x - xbar\|^2 for symmetric doubly stochastic W.

    In orthonormal eigenvectors x - xbar = sum_k c_k v_k over k >= 2, and W^t multiplies c_k by
    lambda_k^t, |lambda_k| <= lambda. Induction: one step keeps the inequality.
    """
    c = sp.symbols("c_2:5", positive=True)
    u = sp.symbols("u_2:5", nonnegative=True)
    modes = [lam / (1 + v) * sign for v, sign in zip(u, (1, -1, 1), strict=True)]
    step = claimed.subs(t, 1) * sum(x**2 for x in c) - sum(
        (m * x) ** 2 for m, x in zip(modes, c, strict=True)
    )
    slowest = (lam**t * c[0]) ** 2 - claimed * c[0] ** 2
    return settled(
        "consensus contraction",
        f"t steps leave at most {claimed} of the squared distance from agreement",
        "Xiao, Boyd 2004, Systems and Control Letters 53, Theorem 1; Koloskova, Stich, Jaggi 2019",
        *powers(),
        nonnegative("one step shrinks all modes", sp.cancel(step), lam, *c, *u),
        equality("and one step more", sp.simplify(claimed.subs(t, t + 1) / claimed), lam**2),
        equality("with equality on the slowest mode", slowest, 0),
        eigenvalues(),
    )


# Laplacians of the complete graph, the ring, the torus and the hypercube: their eigenvalues.


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


def prove_graph_spectra(claimed: Any = CYCLE, bit: int = 2) -> Verdict:
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


# The ring with weights 1/3: eigenvalues (1 + 2 cos(2 pi k/n))/3, by circulant eigenvectors.

EIGENVALUE = (1 + 2 * sp.cos(2 * sp.pi * k / n)) / 3


def prove_ring_spectrum(claimed: Any = EIGENVALUE) -> Verdict:
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


COVERS = {
    "prove_consensus_contraction": ("choco-gossip", "d-psgd"),
    "prove_graph_spectra": ("d-psgd",),
    "prove_ring_spectrum": ("d-psgd",),
}


# Derivations: D-PSGD by variances.

SPREAD = GAMMA**2 * (4 * zeta2 / (1 - rho) ** 2 + 2 * sigma2 / (1 - rho))


def prove_d_psgd_variance(spread: Any = SPREAD) -> Verdict:
    """The mean over steps of Xi = (1/n) sum_i E||x_i - xbar||^2 is at most ``spread``.

    A round is (W - J) x - gamma (I - J) g, or W of the whole, which is no longer: the first part is
    lam of the spread; the second splits into noise, orthogonal to all else, and means, whose square
    is at most that of their distance from grad f(xbar), 2 L^2 Xi + 2 zeta^2. gamma = (1 - lam)/(2 L
    (1 + v)), lam = 1/(1 + u).
    """
    a, b = sp.symbols("a b", real=True)
    xi, u, v = sp.symbols("Xi u v", nonnegative=True)
    root = (1 - rho) * a - rho * b  # of what Young's inequality gives away
    young = a**2 / rho + b**2 / (1 - rho) - (a + b) ** 2
    kept = rho + 2 * (GAMMA * L) ** 2 / (1 - rho)
    added = GAMMA**2 * (2 * zeta2 / (1 - rho) + sigma2)
    room = ((1 + rho) / 2 - kept).subs(GAMMA, (1 - rho) / (2 * L * (1 + v)))
    h2, g2 = sp.symbols("h2 g2", nonnegative=True)
    left = -GAMMA / 2 * (g2 + h2 - L**2 * xi) + GAMMA**2 * L / 2 * (h2 + sigma2 / workers)
    rest = -GAMMA / 2 * (g2 - L**2 * xi) + GAMMA**2 * L / 2 * sigma2 / workers
    step = (rest - left).subs(GAMMA, 1 / (L * (1 + v)))
    total = sp.solve(sp.Eq(-gap, TIME * rest), g2)[0].subs(xi, spread)
    bound = 2 * gap / (GAMMA * TIME) + GAMMA * L * sigma2 / workers + L**2 * spread
    return settled(
        "d_psgd_variance",
        f"spreads are at most {spread} in the mean, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Koloskova et al. 2020, arXiv:2003.10422",
        mixing(),
        about_the_mean(),
        equality("lam a^2/lam^2 and b^2/(1 - lam)", sp.simplify(young * rho * (1 - rho)), root**2),
        equality("two parts of a gradient", 2 * a**2 + 2 * b**2 - (a + b) ** 2, (a - b) ** 2),
        nonnegative(
            "half of 1 - lam is left", sp.cancel(room.subs(rho, 1 / (1 + u))), u, v
        ),
        equality("all rounds together", sp.simplify(added / ((1 - rho) / 2)), sp.expand(spread)),
        nonnegative("the mean model descends for gamma <= 1/L", sp.simplify(step), v, h2, L),
        equality("the sum of T steps", sp.expand(total), sp.expand(bound)),
        computes(d_psgd_variance, bound),
    )  # fmt: skip


PROOFS = (
    prove_consensus_contraction,
    prove_graph_spectra,
    prove_ring_spectrum,
    prove_d_psgd_variance,
)
