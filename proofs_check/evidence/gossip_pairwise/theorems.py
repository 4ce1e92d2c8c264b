"""AD-PSGD, randomised gossip, SAPS-PSGD, GoSGD: derivations, and a run under a bound."""

from __future__ import annotations

from functools import partial
from typing import Any

import sympy as sp

from algorithms.methods.base import Method
from algorithms.methods.exchanges.exchange import RandomLinks
from algorithms.methods.gossip_averaging.gossip_averaging import GossipAveraging
from algorithms.methods.gossip_pairwise.ad_psgd import ADPSGD
from algorithms.methods.gossip_pairwise.gossiping_sgd import GossipingSGD
from algorithms.methods.gossip_pairwise.saps_psgd import SAPSPSGD
from algorithms.problems import entries
from algorithms.problems.base import Problem
from algorithms.synchronisation.compute_times import Exponential
from algorithms.topologies.barbell import Barbell
from algorithms.topologies.base import StaticTopology
from algorithms.topologies.complete import Complete
from algorithms.topologies.random_mixing import RandomEdge
from algorithms.topologies.ring import Ring
from algorithms.topologies.torus import Torus
from proofs_check.bounds.check import REPLICAS, BoundCheck
from proofs_check.bounds.settings import MILD, by_moments, mild
from proofs_check.evidence.auxiliary.proofs_iterates import pairs
from proofs_check.proofs.derivation import DerivationStep, equality, nonnegative, settled, truth
from proofs_check.proofs.evaluated import GAMMA, TIME, evaluates, symbol
from proofs_check.proofs.expressions import near
from proofs_check.proofs.norms import spread as spreads
from proofs_check.verdict import Verdict
from theory.rules.virtual_iterate_deviation import kept_by_pairs
from theory.stepsizes import ConstantStep, Stepsize
from theory.theorems.ad_psgd import ad_psgd
from theory.theorems.gossiping_sgd_pull import gossiping_sgd_pull
from theory.theorems.randomised_gossip import randomised_gossip
from theory.theorems.saps_psgd import saps_psgd

n, tau, kept, L, mu, sigma2, R2, K = sp.symbols("n tau kept L mu sigma2 R2 turn", positive=True)
# AD-PSGD: averages of pairs, one worker's gradient a tick, models of some ticks ago.


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


# Derivations: gossiping SGD that pulls.

KEPT = 1 - 2 * GAMMA * mu * (1 - GAMMA * mu)


def prove_gossiping_sgd_pull(kept: Any = KEPT) -> Verdict:
    """A turn leaves ``kept`` of the largest E||x_i - x*||^2 above the floor.

    The interpolation inequality <g, d> >= (mu L d2 + g2)/(mu + L), d = x - x*, and g2 >= mu^2 d2
    leave (1 - s mu)^2 for s = 2 gamma = 2/((L + mu)(1 + v)). T = K k + r ticks, r < K, hold k turns
    of all.
    """
    a, b, p, q = sp.symbols("a b p q", real=True)
    d2, more, v, w, k, r, rest = sp.symbols("d2 e v w k r rest", nonnegative=True)
    s = sp.Symbol("s", positive=True)
    g2 = mu**2 * d2 + more
    after = d2 - 2 * s * (mu * L * d2 + g2) / (mu + L) + s**2 * g2
    room = ((1 - s * mu) ** 2 * d2 - after).subs(s, 2 / ((L + mu) * (1 + v))).subs(L, mu + w)
    own = sp.Rational(1, 2) * (1 - 2 * GAMMA * mu) ** 2 + sp.Rational(1, 2)
    alone = sp.expand(KEPT - (1 - GAMMA * mu) ** 2)
    floor = GAMMA * sigma2 / (mu * (1 - GAMMA * mu))
    noise = 2 * GAMMA**2 * sigma2  # half of (2 gamma)^2 sigma2
    turns = (k - (K * k + r - K + 1) / K).subs(r, K - 1 - rest)
    bound = kept ** ((TIME - K + 1) / K) * R2 + floor
    return settled(
        "gossiping_sgd_pull",
        f"a turn of all workers leaves {kept} of the squared distance above the floor",
        "derived; setting of Jin et al. 2016, arXiv:1611.04581",
        equality("the two parts", (a + b) / 2 - GAMMA * p, ((a - 2 * GAMMA * p) + b) / 2),
        equality("convexity", (p**2 + q**2) / 2 - ((p + q) / 2) ** 2, ((p - q) / 2) ** 2),
        nonnegative("a step of 2 gamma nears the minimum", sp.cancel(room), d2, more, v, w, mu),
        equality("the half that moves and the half heard", sp.expand(own), sp.expand(kept)),
        equality("a step alone leaves less", alone, GAMMA**2 * mu**2),
        equality("the floor stays", sp.simplify(kept * floor + noise - floor), 0),
        nonnegative("turns of all workers", sp.simplify(turns), rest, K),
        evaluates(gossiping_sgd_pull, bound),
    )


# Randomised gossip under its bound.


def _random(topology: StaticTopology, steps: int) -> BoundCheck:
    return BoundCheck(
        "randomised-gossip", f"consensus, {topology.name}", randomised_gossip,
        lambda: entries.problem("consensus", topology.n),
        lambda _s, _p, _t: GossipAveraging(RandomLinks(RandomEdge(topology))), steps,
    )  # fmt: skip


_TICKS, _PAIRS, _COMPRESSION = 1800, RandomEdge(Complete(4)), 4.0


def _async(step: Stepsize, problem: Problem, steps: int) -> ADPSGD:
    return ADPSGD(step, steps, Exponential(), Complete(problem.n), replicas=REPLICAS)


def _ticks_early() -> int:
    """The largest staleness of the schedule that is run."""
    own = ADPSGD(ConstantStep(1.0), _TICKS, Exponential(), Complete(3), replicas=REPLICAS)
    return int(own.staleness(3).need("tau"))


def _kept_by_masked_pairs() -> float:
    """Contraction of the squared spread by a round, in the mean: pairs are drawn afresh, and a
    coordinate is averaged in one round of ``_COMPRESSION``."""
    lam2 = _PAIRS.contraction()
    return 1 - (1 - lam2) / _COMPRESSION


def _pulling(
    topology: StaticTopology, often: float, step: Stepsize, _problem: Problem, steps: int
) -> Method[Any]:
    return GossipingSGD(step, steps, Exponential(), topology, probability=often, replicas=REPLICAS)


def _pulled(topology: StaticTopology, often: float) -> BoundCheck:
    """Pulls over a graph, a worker's each with a probability."""
    return BoundCheck(
        "gossiping-sgd", f"{MILD}, {topology.name}, pulls with probability {often:g}",
        gossiping_sgd_pull, partial(mild, topology.n, 0.0), partial(_pulling, topology, often),
        _TICKS,
    )  # fmt: skip


BOUND_CHECKS: tuple[BoundCheck, ...] = (
    _random(Ring(8), 200),
    _random(Torus(3, 3), 100),
    _random(Barbell(4), 200),
    _random(Complete(8), 60),
    by_moments(
        "ad-psgd", ad_psgd, _async, _TICKS,
        lambda: {"kept": kept_by_pairs(3), "tau": _ticks_early()}, n=3, zeta2=0.0, rated=False,
    ),
    _pulled(Complete(4), 1.0),
    _pulled(Ring(4), 0.5),
    by_moments(
        "saps-psgd", saps_psgd, lambda step, _p, _t: SAPSPSGD(step, _PAIRS, _COMPRESSION), 800,
        lambda: {"kept": _kept_by_masked_pairs()}, rated=False,
    ),
)  # fmt: skip

PROOFS = (
    prove_ad_psgd,
    prove_randomised_gossip,
    prove_saps_psgd,
    prove_gossiping_sgd_pull,
)
