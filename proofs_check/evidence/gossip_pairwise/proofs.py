"""Derivations: ad psgd, randomised gossip, saps psgd."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.evidence.auxiliary.proofs_iterates import pairs
from proofs_check.proofs.derivation import DerivationStep, equality, settled, truth
from proofs_check.proofs.evaluated import TIME, evaluates, symbol
from proofs_check.proofs.expressions import near
from proofs_check.proofs.norms import spread as spreads
from proofs_check.verdict import Verdict
from theory.rules.virtual_iterate_deviation import kept_by_pairs
from theory.theorems.ad_psgd import ad_psgd
from theory.theorems.randomised_gossip import randomised_gossip
from theory.theorems.saps_psgd import saps_psgd

# AD-PSGD: averages of pairs, one worker's gradient a tick, models of some ticks ago.


n, tau, kept = (symbol(name) for name in ("n", "tau", "kept"))
LEFT = sp.sqrt(kept)


def any_caller() -> tuple[DerivationStep, ...]:
    """n rows of squares Q about their mean, the caller's row a: an average with row b loses
    (a - b)^2/2; the others' rows sum to -a and their squares to Q - a^2."""
    rows, a, squares = sp.symbols("n_rows a Q", nonnegative=True)
    others = rows - 1
    met = (others * a**2 - 2 * a * (-a) + squares - a**2) / others  # mean of (a - b)^2
    room = met / 2 - squares / (2 * others)  # lost beyond Q/(2 (n - 1))
    return (
        equality("what is lost beyond it", sp.simplify(room), rows * a**2 / (2 * others)),
        equality("what is kept", 1 - 1 / (2 * others), sp.sympify(kept_by_pairs(rows))),
    )


def prove_ad_psgd(left: Any = LEFT) -> Verdict:
    """S <- ``left`` S + sqrt(1 - 1/n): an average, and one row that moves by a gradient.

    The mean moves by 1/n of it, and tau of such moves may lie between model and gradient.
    """
    rows = sp.symbols("n_rows", integer=True, positive=True)
    one_row = (1 - 1 / rows) ** 2 + (rows - 1) / rows**2
    spread = sp.sqrt(1 - 1 / n) / (1 - left)
    return settled(
        "ad_psgd",
        f"an average leaves {left} of the spread's root, so O(1/sqrt(T)) with its constants",
        "derived; setting of Lian et al. 2018, arXiv:1710.06952",
        *pairs(),
        *any_caller(),
        *spreads(),
        equality("one row's move, from the mean", sp.simplify(one_row), 1 - 1 / rows),
        equality("the spread ends at", sp.simplify(LEFT * spread + sp.sqrt(1 - 1 / n) - spread), 0),
        near(ad_psgd, spread + tau / n, gain=1 / n, excess=n - 1),
    )


# Randomised gossip: averages of pairs are projections; one tick loses 1 - lambda_2(E W).

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


def prove_randomised_gossip(claimed: Any = COMPLETE, loss: Any = 1) -> Verdict:
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


# Masked averages of matched pairs: what a round leaves of the squared spread.

SPREAD = 1 / (1 - sp.sqrt(kept))


def prove_saps_psgd(spread: Any = SPREAD) -> Verdict:
    """S <- sqrt(kept) S + 1 ends at ``spread``: a step, then a mixing that is drawn afresh.

    A coordinate is averaged with probability 1/c, where lam2 of its square is left, so that in
    expectation 1 - (1 - lam2)/c is.
    """
    c, lam2 = sp.symbols("c lambda_2", positive=True)
    masked = lam2 / c + (1 - 1 / c)
    return settled(
        "saps_psgd",
        f"spreads end at {spread}, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Tang, Shi, Chu 2020, arXiv:2002.09692",
        *spreads(),
        equality("a masked average", sp.simplify(masked), sp.simplify(1 - (1 - lam2) / c)),
        equality("the spread ends at", sp.simplify(sp.sqrt(kept) * spread + 1 - spread), 0),
        near(saps_psgd, spread),
    )


PROOFS = (prove_ad_psgd, prove_randomised_gossip, prove_saps_psgd)
