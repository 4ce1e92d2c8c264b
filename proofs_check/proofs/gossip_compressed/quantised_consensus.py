r"""Quantised consensus: what errors add to the disagreement when a pair compensates."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, settled
from proofs_check.proofs.evaluated import TIME, evaluates, symbol
from proofs_check.verdict import Verdict
from theory.theorems.quantised_consensus import quantised_consensus

a, b, e, f, v = sp.symbols("a b e f v", real=True)
q, z, level = sp.symbols("q z level", positive=True)
ADDED = v


def pair() -> tuple[Any, Any]:
    """Values a, b with errors e, f of the quantiser, after a compensating meeting."""
    return a - (a + e) / 2 + (b + f) / 2, b - (b + f) / 2 + (a + e) / 2


def mean_is_kept() -> DerivationStep:
    """Sum before and after, for any errors."""
    one, other = pair()
    return equality("the pair's sum is kept whatever the errors", one + other, a + b)


def added(claimed: Any) -> DerivationStep:
    """E of what the errors add to the sum of squares: independent, mean 0, second moment v each."""
    one, other = pair()
    clean = sp.expand(one**2 + other**2).subs({e: 0, f: 0})
    extra = sp.Poly(sp.expand(one**2 + other**2) - clean, e, f)
    moments = {(2, 0): v, (0, 2): v}
    mean = sum(c * moments.get(powers, 0) for powers, c in extra.terms())
    return equality("errors of a pair add v", mean, claimed)


def added_by_all() -> DerivationStep:
    """The same where everybody hears others at once, M = W - I: v times the squares of M."""
    m, errors = sp.Matrix(3, 3, sp.symbols("m:9", real=True)), sp.symbols("e:3", real=True)
    spread = sp.Poly(sp.expand((m * sp.Matrix(errors)).norm() ** 2), *errors)
    mean = sum(c * v for powers, c in spread.terms() if max(powers) == 2)
    return equality("errors of all add v ||W - I||_F^2", mean, v * sum(entry**2 for entry in m))


def unrolled(claimed: Any) -> DerivationStep:
    """u^{t+1} = q u^t + v with u^t = q^t z + (1 - q^t) level."""
    t = sp.symbols("t", positive=True)
    curve = q**t * z + (1 - q**t) * level
    after = (q**t * q) * z + (1 - q**t * q) * level
    return equality("the level", sp.expand(after - q * curve).subs(level, claimed / (1 - q)), v)


def prove(claimed: Any = ADDED) -> Verdict:
    r"""E||z^{t+1}||^2 = E||W z^t||^2 + ``claimed`` for one pair a tick.

    Errors of mean 0 given x have no cross term with W z; those of a pair add v, those of all
    v ||W - I||_F^2.
    """
    left = symbol("lam") ** (2 * TIME)
    bound = left * symbol("initial_potential") + (1 - left) * claimed / (1 - symbol("lam") ** 2)
    return settled(
        "quantised_consensus",
        f"a tick adds {claimed}; the level is {claimed}/(1 - lambda^2)",
        "derived; the rule is Carli, Fagnani, Frasca, Zampieri 2010, arXiv:0907.0748",
        mean_is_kept(),
        added(claimed),
        added_by_all(),
        unrolled(claimed),
        evaluates(quantised_consensus, bound.subs(v, symbol("absolute_error"))),
    )
