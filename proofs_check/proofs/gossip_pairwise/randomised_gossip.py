r"""Randomised gossip: averages of pairs are projections; one tick loses 1 - lambda_2(E W)."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, settled, truth
from proofs_check.proofs.evaluated import TIME, evaluates, symbol
from proofs_check.verdict import Verdict
from theory.theorems.randomised_gossip import randomised_gossip

n = sp.Symbol("n", positive=True)
COMPLETE = 1 - 1 / (n - 1)


def projection() -> DerivationStep:
    """W = I - v v^T / 2 with v = e_i - e_j acts on the pair alone, where W^T W = W."""
    v = sp.Matrix([1, -1])
    w = sp.eye(2) - v * v.T / 2
    return truth("the average of a pair is an orthogonal projection", w.T * w == w)


def tick(loss: Any = 1) -> DerivationStep:
    r"""\|W z\|^2 for two values a, b that become ``loss`` times their mean."""
    a, b = sp.symbols("a b", real=True)
    mean = loss * (a + b) / 2
    return equality(
        "the pair loses (a - b)^2 / 2 of its sum of squares",
        a**2 + b**2 - 2 * mean**2,
        (a - b) ** 2 / 2,
    )


def complete(claimed: Any = COMPLETE) -> DerivationStep:
    """E W on the complete graph has one value off the diagonal; its second eigenvalue is their
    difference."""
    off = sp.Rational(1, 2) * 2 / (n * (n - 1))
    diagonal = 1 - (n - 1) * off
    return equality("second eigenvalue on the complete graph", diagonal - off, claimed)


def prove(claimed: Any = COMPLETE, loss: Any = 1) -> Verdict:
    r"""E\|W z\|^2 = z^T E[W] z, and on the complete graph the factor is ``claimed``.

    A z with mean 0 is orthogonal to 1, the first eigenvector of the symmetric E W, so
    z^T E[W] z <= lambda_2 \|z\|^2.
    """
    return settled(
        "randomised_gossip",
        f"a tick multiplies E sum ||x_i - xbar||^2 by at most lambda_2(E W), on the complete graph "
        f"by {claimed}",
        "Boyd, Ghosh, Prabhakar, Shah 2006, Theorem 3",
        projection(),
        tick(loss),
        complete(claimed),
        evaluates(randomised_gossip, symbol("lam") ** (2 * TIME) * symbol("initial_potential")),
    )
