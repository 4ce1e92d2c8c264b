"""Push-sum and SGP: derivations, and runs under bounds."""

from __future__ import annotations

from itertools import product
from typing import Any

import sympy as sp

from algorithms.methods.exchanges.exchange import FixedLinks, RandomLinks
from algorithms.methods.gossip_directed.push_sum import PushSum
from algorithms.methods.gossip_directed.sgp import SGP
from algorithms.methods.gossip_directed.subgradient_push import SubgradientPush
from algorithms.problems import entries
from algorithms.problems.base import Problem
from algorithms.topologies.complete import Complete
from algorithms.topologies.dissemination import Dissemination
from algorithms.topologies.random_out_neighbour import RandomOutNeighbour
from algorithms.topologies.static_exponential import StaticExponential
from proofs_check.bounds.check import BoundCheck, potential_of
from proofs_check.bounds.settings import by_moments, of_row, residual_mixing_sum
from proofs_check.instruments.paths import world_of
from proofs_check.proofs.derivation import DerivationStep, equality, settled
from proofs_check.proofs.evaluated import TIME, evaluates, symbol
from proofs_check.proofs.expressions import near
from proofs_check.proofs.norms import triangle
from proofs_check.verdict import Verdict
from theory.constants import Constants
from theory.theorems.push_sum_uniform import push_sum_uniform
from theory.theorems.sgp import sgp

n, a, b, c = sp.symbols("n a b c", positive=True)
# Push-sum by uniform gossip: the expected potential of a round, over all receivers.

FACTOR = sp.Rational(1, 4) - 1 / (2 * (n - 1)) + (1 - (n - 2) / (n - 1) ** 2) / 4


def over_all_receivers(workers: int, claimed: Any) -> DerivationStep:
    """The mean over all (n - 1)^n choices, for sums u_i that add up to 0."""
    free = sp.symbols(f"u_1:{workers}", real=True)
    u = (*free, -sum(free))
    others = [[k for k in range(workers) if k != i] for i in range(workers)]
    total = sp.Integer(0)
    for sent in product(*others):
        incoming = [sum(u[i] for i in range(workers) if sent[i] == k) for k in range(workers)]
        total += (
            sum(sp.expand((own + came) ** 2) for own, came in zip(u, incoming, strict=True)) / 4
        )
    mean = sp.expand(total / (workers - 1) ** workers)
    wanted = sp.expand(claimed.subs(n, workers) * sum(v**2 for v in u))
    return equality(f"all receivers of {workers} workers", mean, wanted)


def prove_push_sum_uniform(claimed: Any = FACTOR) -> Verdict:
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


# Push-sum with gradient steps: sums move by the mean gradient, and a step's ages add up.

PUSHED = sp.Matrix([[1 - a, b / 2, c], [a / 2, 1 - b, 0], [a / 2, b / 2, 1 - c]])
"""Any matrix whose columns sum to 1: what three workers make of theirs."""


def prove_sgp(pushed: sp.Matrix = PUSHED) -> Verdict:
    """x <- P (x - gamma g) moves the mean by the mean gradient, x_3 is the start pushed on and the
    steps of ages 1 to 3; 1/(1 - lam) is the sum of all ages for one symmetric matrix.

    From one start the distances of z = x/w from the mean are sums over ages of (diag(w)^-1 P^k - J)
    g, here times w; each is at most the norm of that matrix times G, and they add up.
    """
    x = sp.Matrix(sp.symbols("x_0:3", real=True))
    steps = [sp.Matrix(sp.symbols(f"g_{t}_0:3", real=True)) for t in range(3)]
    moved = sum(pushed * (x - steps[0])) - sum(x) + sum(steps[0])
    run, ages = x, pushed**3 * x
    for t, g in enumerate(steps):
        run = pushed * (run - g)
        ages -= pushed ** (3 - t) * g
    w, start = pushed**3 * sp.ones(3, 1), sp.Symbol("x_0")
    alike = ages.subs(dict.fromkeys(x, start))
    mean = start - sum(sum(g) for g in steps) / 3
    by_age = sum(
        ((pushed ** (3 - t) - w * sp.ones(1, 3) / 3) * g for t, g in enumerate(steps)),
        sp.zeros(3, 1),
    )
    weighed = sp.expand(alike - w * mean + by_age)
    lam, s = sp.Rational(7, 10), sp.Symbol("k", integer=True, nonnegative=True)
    powers = sp.summation(lam**s, (s, 0, sp.oo))
    carried: Any = symbol("carried")
    return settled(
        "sgp",
        "means move by mean gradients, ages of a step add up, so O(1/sqrt(nT)) with its constants",
        "derived; setting of Assran et al. 2018, arXiv:1811.10792",
        equality("the mean moves by the mean gradient", sp.expand(moved), 0),
        equality("steps are carried on", sum(sp.expand(v) ** 2 for v in sp.expand(run - ages)), 0),
        *triangle(),
        equality("distances of x/w by age", sum(v**2 for v in weighed), 0),
        equality("ages of one symmetric matrix", powers, 1 / (1 - lam)),
        near(sgp, carried),
    )


PROOFS = (prove_push_sum_uniform, prove_sgp)


# Gossip over directed links whose matrices are doubly stochastic, so that weights stay 1.

_HOPS, _CALLS = StaticExponential(4), RandomOutNeighbour(Complete(8))


def _apart(problem: Problem) -> Constants:
    """The potential of the values that are averaged, with weights of 1."""
    state = PushSum(RandomLinks(_CALLS)).init(problem.start(), world_of(problem, 0, 1))
    return Constants().state(initial_potential=float(potential_of(state)))


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    BoundCheck(
        "push-sum", f"consensus, {_CALLS.name}", push_sum_uniform,
        lambda: entries.problem("consensus", _CALLS.n),
        lambda _s, _p, _t: PushSum(RandomLinks(_CALLS)), 20, _apart,
    ),
    by_moments(
        "sgp", sgp, lambda s, _p, _t: SGP(s, FixedLinks(_HOPS)), 400,
        lambda: {"carried": residual_mixing_sum(_HOPS)},
    ),
    by_moments(
        "subgradient-push", sgp, lambda s, _p, _t: SubgradientPush(s, FixedLinks(_HOPS)), 400,
        lambda: {"carried": residual_mixing_sum(_HOPS)},
    ),
    by_moments(
        "gossipgrad", sgp, of_row("gossipgrad"), 400,
        lambda: {"carried": residual_mixing_sum(Dissemination(4))},
    ),
)  # fmt: skip
