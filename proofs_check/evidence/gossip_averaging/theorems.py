"""Averaging by linear iterations: W^t - J = (W - J)^t, the best single weight; a run under the
bound."""

from __future__ import annotations

from typing import Any

import sympy as sp

from algorithms.methods.exchanges.exchange import FixedLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.problems import entries
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.bounds.check import BoundCheck
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled, truth
from proofs_check.proofs.evaluated import TIME, evaluates, symbol
from proofs_check.verdict import Verdict
from theory.theorems.gossip_averaging import gossip_averaging

large, small = sp.symbols("l_1 l_n", positive=True)  # of the Laplacian: largest, smallest > 0
BEST = 2 / (large + small)


def powers() -> tuple[DerivationStep, ...]:
    """Induction: W J = J W = J J = J give (W^t - J)(W - J) = W^{t+1} - J."""
    w, j, wt = sp.symbols("W J W_t", commutative=False)
    product = sp.expand((wt - j) * (w - j))
    kept = product.subs({wt * j: j, j * w: j, j**2: j}, simultaneous=True)
    mean = sp.ones(3, 3) / 3
    a, b, c = sp.symbols("a b c")
    weights = sp.Matrix([[1 - a - b, a, b], [a, 1 - a - c, c], [b, c, 1 - b - c]])
    return (
        truth("(W^t - J)(W - J) = W^{t+1} - J", sp.expand(kept - (wt * w - j)) == 0),
        truth("J J = J", mean * mean == mean),
        truth(
            "W J = J = J W for rows and columns that sum to 1, of any sign",
            sp.simplify(weights * mean - mean) == sp.zeros(3, 3)
            and sp.simplify(mean * weights - mean) == sp.zeros(3, 3),
        ),
    )


def attained() -> DerivationStep:
    """Two workers of weight w: from (1, -1) the distance falls by exactly |1 - 2 w| a step."""
    w, t = sp.Symbol("w", real=True), 5
    step = sp.Matrix([[1 - w, w], [w, 1 - w]])
    x = step**t * sp.Matrix([1, -1])
    return equality("equality on the eigenvector, 5 steps", x[0] - x[1], 2 * (1 - 2 * w) ** t)


def best_weight(claimed: Any) -> tuple[DerivationStep, ...]:
    r"""max(|1 - alpha l_1|, |1 - alpha l_n|) is least where the two are opposite.

    With alpha = ``claimed`` (1 + h), h > 0 the part 1 - alpha l_1 falls further below 0, with
    h < 0 the part 1 - alpha l_n rises: neither makes the larger modulus smaller.
    """
    wider = sp.Symbol("s", nonnegative=True)  # l_1 = l_n + s
    value = (large - small) / (large + small)
    return (
        equality("1 - alpha l_n is lambda", 1 - claimed * small, value),
        equality("1 - alpha l_1 is -lambda", 1 - claimed * large, -value),
        nonnegative("lambda >= 0", value.subs(large, small + wider), small, wider),
    )


def prove_gossip_averaging(claimed: Any = BEST) -> Verdict:
    r"""\|W^t x - xbar\| <= lambda^t \|x - xbar\|; ``claimed`` is the best constant weight.

    The first because (W - J)^t maps x - xbar to W^t x - xbar, and norms multiply.
    """
    return settled(
        "gossip_averaging",
        f"x <- W x contracts by ||W - J||_2; the best constant weight is {claimed}",
        "Xiao, Boyd 2004, Systems and Control Letters 53, Theorem 1",
        *powers(),
        attained(),
        *best_weight(claimed),
        evaluates(gossip_averaging, symbol("lam") ** (2 * TIME) * symbol("initial_potential")),
    )


PROOFS = (prove_gossip_averaging,)


# Linear averaging under its bound.


def _linear(topology: StaticTopology, steps: int) -> BoundCheck:
    return BoundCheck(
        "fdla", f"consensus, {topology.name}", gossip_averaging,
        lambda: entries.problem("consensus", topology.n),
        lambda _s, _p, _t: GossipAveraging(FixedLinks(topology)), steps,
    )  # fmt: skip


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    _linear(Ring(8), 60),
    _linear(Torus(4, 4), 30),
)
