r"""Cooperative SGD: the spread that gossip every H steps leaves, and the condition it needs."""

from __future__ import annotations

from typing import Any

import sympy as sp

from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled
from proofs_check.proofs.expressions import descends
from proofs_check.verdict import Verdict
from theory.theorems.cooperative_sgd import cooperative_sgd

gamma, L, sigma2, n = sp.symbols("gamma L sigma2 n", positive=True)
H, lam = sp.symbols("H lam", positive=True)
FLOOR = gamma * L * sigma2 / n + gamma**2 * L**2 * sigma2 * ((1 + lam**2) / (1 - lam**2) * H - 1)
FACTOR = H * (H - 1) * (1 + 2 * lam) / (1 - lam) + 2 * (H * lam / (1 - lam)) ** 2


def geometric(ratio: Any) -> Any:
    """ratio + ratio^2 + ..., 0 < ratio < 1."""
    return ratio / (1 - ratio)


def sum_over(term: Any, first: Any) -> Any:
    """Sum of ``term(i)``, linear in i, from ``first`` to H - 1: the number of terms by the mean."""
    return (H - first) * (term(first) + term(H - 1)) / 2


def returns(place: Any) -> Any:
    """How often, over 2 gamma^2 L^2, the squared gradients of one step return in the spread.

    ``place`` is its place in its period. At place i of a period the weights of all former gradients
    sum to at most i + H lam/(1 - lam); the step itself has weight lam^q after q averagings.
    """

    def weights(i: Any) -> Any:
        return i + H * geometric(lam)

    return sum_over(weights, place + 1) + geometric(lam) * sum_over(weights, 0)


def condition(claimed: Any) -> tuple[DerivationStep, ...]:
    """gamma L + gamma^2 L^2 ``claimed`` <= 1 pays for every gradient that returns."""
    u, w, place, K = sp.symbols("u w place K", nonnegative=True)
    room = (claimed - 2 * returns(0)).subs({H: 1 + w, lam: 1 / (1 + u)})
    later = (returns(0) - returns(place)).subs({H: place + 1 + w, lam: 1 / (1 + u)})
    y = 2 / (1 + sp.sqrt(1 + 4 * K))
    return (
        nonnegative("what returns is paid for", sp.factor(room), u, w),
        nonnegative("a later step returns less", sp.factor(later), place, u, w),
        equality("W = J leaves the condition of local SGD", FACTOR.subs(lam, 0), H * (H - 1)),
        equality("the largest stepsize", y + y**2 * K, 1),
    )


def prove(claimed: Any = FLOOR, factor: Any = FACTOR) -> Verdict:
    r"""avg E||grad f(xbar_t)||^2 <= 2 Delta/(gamma T) + ``claimed``.

    As for local SGD, but a step of q periods ago still weighs lam^q. The noise of all steps is
    independent: i + H (lam^2 + lam^4 + ...) squared weights at place i of a period. Gradients of
    all steps add up, at most by Cauchy and Schwarz with the weights lam^q.
    """
    noise = 2 * sum_over(lambda i: i + H * geometric(lam**2), 0) / H
    spread = gamma**2 * sigma2 * noise
    return settled(
        "cooperative_sgd",
        f"average squared gradient <= 2 Delta/(gamma T) + {claimed}",
        "Wang, Joshi 2018, arXiv:1808.07576, Theorem 1",
        *condition(factor),
        equality("noise and spread", gamma * L * sigma2 / n + L**2 * spread, claimed),
        descends(cooperative_sgd, 2, claimed),
    )
