r"""Gossip steps in the eigenvectors of W: every mode shrinks by its eigenvalue."""

from __future__ import annotations

from typing import Any

import numpy as np
import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled, truth
from proofs_check.proofs.gossip_averaging.gossip_averaging import powers
from proofs_check.verdict import Verdict
from theory.networks.mixing import spectrum
from theory.networks.weights import metropolis_hastings

COVERS = ("choco-gossip", "d-psgd")

lam = sp.symbols("lambda", positive=True)
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


def prove(claimed: Any = FACTOR) -> Verdict:
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
