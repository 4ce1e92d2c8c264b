"""Push-sum by uniform gossip: the expected potential of a round, over all receivers."""

from __future__ import annotations

from itertools import product
from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, settled
from proofs_check.proofs.evaluated import TIME, evaluates, symbol
from proofs_check.verdict import Verdict
from theory.theorems.push_sum_uniform import push_sum_uniform

COVERS = ("push-sum",)
n = sp.Symbol("n", positive=True)
FACTOR = sp.Rational(1, 4) - 1 / (2 * (n - 1)) + (1 - (n - 2) / (n - 1) ** 2) / 4


def over_all_receivers(workers: int, claimed: Any) -> DerivationStep:
    """The mean over all (n - 1)^n choices, for sums u_i that add up to 0."""
    free = sp.symbols(f"u_1:{workers}", real=True)
    u = (*free, -sum(free))
    others = [[k for k in range(workers) if k != i] for i in range(workers)]
    total = sp.Integer(0)
    for sent in product(*others):
        heard = [sum(u[i] for i in range(workers) if sent[i] == k) for k in range(workers)]
        total += sum(sp.expand((own + came) ** 2) for own, came in zip(u, heard, strict=True)) / 4
    mean = sp.expand(total / (workers - 1) ** workers)
    wanted = sp.expand(claimed.subs(n, workers) * sum(v**2 for v in u))
    return equality(f"all receivers of {workers} workers", mean, wanted)


def prove(claimed: Any = FACTOR) -> Verdict:
    """A round leaves ``claimed`` of E sum_i u_i^2.

    Receivers are independent, one of n - 1 each: E (sum of what k receives)^2 = sum_i p u_i^2 + p^2
    sum_{i != j} u_i u_j, p = 1/(n - 1), and sum_{i != j} u_i u_j = -sum_i u_i^2.
    """
    p = 1 / (n - 1)
    general = sp.Rational(1, 4) - p / 2 + (1 - p**2 * (n - 2)) / 4
    return settled(
        "push_sum_uniform",
        f"a round leaves {claimed} of the potential",
        "derived; Kempe, Dobra, Gehrke 2003",
        equality("three sums of products", sp.simplify(general - claimed), 0),
        over_all_receivers(3, claimed),
        over_all_receivers(4, claimed),
        evaluates(push_sum_uniform, claimed**TIME * symbol("initial_potential")),
    )
