r"""Step times: order statistics of exponential times, the deadline, a round robin of two."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, settled
from proofs_check.verdict import Verdict

COVERS = ("backup-workers", "r2sp")

n, b = sp.symbols("n b", integer=True, positive=True)
x, D = sp.symbols("x D", positive=True)
BACKUP = sp.harmonic(n) - sp.harmonic(b)
LATE = sp.exp(-D)
TURN = sp.Rational(2, 3)


def kth(workers: int, k: int) -> Any:
    """E of the k-th of ``workers`` exponential times, by its density."""
    density = (
        k * sp.binomial(workers, k)
        * (1 - sp.exp(-x)) ** (k - 1) * sp.exp(-x * (workers - k + 1))
    )  # fmt: skip
    return sp.integrate(sp.expand(x * density), (x, 0, sp.oo))


def deadline(workers: int) -> Any:
    """E min(max, D) + E (min - D)^+, integrals of tails."""
    within = sp.integrate(sp.expand(1 - (1 - sp.exp(-x)) ** workers), (x, 0, D))
    return within + sp.integrate(sp.exp(-workers * x), (x, D, sp.oo))


def in_turn() -> Any:
    """Two workers in turn: seconds of an update, by what the second has left when the first is in.

    y is the time between the last two updates: the next comes (X - y)^+ later. It is 0 with
    probability p, else exponential with mean 1 (no memory), so 1 - p = E exp(-y).
    """
    p = sp.symbols("p")
    (zero,) = sp.solve(1 - p - (p + (1 - p) * sp.integrate(sp.exp(-2 * x), (x, 0, sp.oo))), p)
    return 1 - zero


def prove(claimed: Any = BACKUP, turn: Any = TURN) -> Verdict:
    """The first n - b of n exponential times are in after ``claimed`` seconds in the mean."""
    steps: list[DerivationStep] = []
    for workers in (1, 2, 3, 5):
        for spare in range(workers):
            told = claimed.subs({n: workers, b: spare})
            steps.append(
                equality(f"n = {workers}, b = {spare}", kth(workers, workers - spare), told)
            )
    for workers in (1, 2, 3):
        closed = sum((1 - LATE) ** k / sp.Integer(k) for k in range(1, workers + 1))
        told = closed + LATE**workers / workers
        steps.append(equality(f"deadline, n = {workers}", sp.expand(deadline(workers)), told))
    return settled(
        "order statistics",
        f"the first n - b of n: {claimed}",
        "derived; Renyi 1953, Chen et al. 2016, arXiv:1604.00981",
        *steps,
        equality("two in turn", in_turn(), turn),
    )
